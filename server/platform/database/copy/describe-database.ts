import type { Config } from '../../config/config.ts'

/** The address without user, password and parameters. */
export function describeDatabase(settings: Config['database']): string {
  if (settings.engine === 'sqlite') return `sqlite:${settings.path}`
  return settings.url.replace(/\/\/[^/]*@/, '//').replace(/\?.*$/, '')
}
