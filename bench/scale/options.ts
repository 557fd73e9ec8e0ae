import { SIZES } from './names.ts'

const ENGINES = ['sqlite', 'postgres']

/** The options of the measurements on large databases. */
export interface ScaleOptions {
  /** The numbers of users. */
  sizes: number[]
  engines: string[]
  /** Seeded SQLite databases are kept here, and used again. */
  folder: string | undefined
  /** A PostgreSQL server whose seeded databases are kept, and used again. */
  postgresUrl: string | undefined
  /** Tables and plots are written here. */
  out: string
  /** The part of the requests that is sent, for a quick look. */
  share: number
  warmUpMinutes: number
  minutes: number
}

export const SCALE_USAGE = `
  --users N,…     scale: the populations (${SIZES.join(',')})
  --engines E,…   scale: sqlite, postgres (both)
  --folder DIR    scale: keep the SQLite databases there, and use them again
  --postgres URL  scale: keep databases on this server, and use them again; its user creates databases
  --out DIR       scale: write tables and plots there (bench-results)
  --warm-up N     endurance: minutes of load before the measurement, until each counter of a limit has ended once (16)
  --minutes N     endurance: minutes of the measurement, on each engine (8)`

export const SCALE_PARSE_OPTIONS = {
  users: { type: 'string', default: SIZES.join(',') },
  engines: { type: 'string', default: 'sqlite,postgres' },
  folder: { type: 'string' },
  postgres: { type: 'string' },
  out: { type: 'string', default: 'bench-results' },
  'warm-up': { type: 'string', default: '16' },
  minutes: { type: 'string', default: '8' },
} as const

interface Values {
  users: string
  engines: string
  folder?: string | undefined
  postgres?: string | undefined
  out: string
  'warm-up': string
  minutes: string
  quick: boolean
}

/** @throws Error with a message for the user */
export function toScaleOptions(values: Values): ScaleOptions {
  const { users, folder, postgres, out, minutes, quick } = values
  const engines = values.engines.split(',')
  const unknown = engines.filter((engine) => !ENGINES.includes(engine))
  if (unknown.length > 0) throw new Error(`Unknown engine: ${unknown.join(', ')}.`)
  const sizes = users.split(',').map((size) => toNumber(size, '--users', 1))
  return {
    sizes: sizes.toSorted((one, other) => one - other),
    engines,
    folder,
    postgresUrl: postgres,
    out,
    share: quick ? 0.2 : 1,
    warmUpMinutes: toNumber(values['warm-up'], '--warm-up', 0),
    minutes: toNumber(minutes, '--minutes', 0),
  }
}

function toNumber(text: string, option: string, minimum: number): number {
  const number = Number(text)
  if (text === '' || !Number.isFinite(number) || number < minimum)
    throw new Error(`${option} must be a number of at least ${minimum}, not '${text}'.`)
  return number
}
