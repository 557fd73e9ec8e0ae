import packageJson from '../../package.json' with { type: 'json' }

/** The options of Node in npm start. */
export const START_OPTIONS = packageJson.scripts.start.split(' ').filter((word) => word.startsWith('--'))
