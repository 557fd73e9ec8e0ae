import { resolve } from 'node:path'
import type { Config } from './config.ts'
import type { EnvironmentReader } from './environment-reader.ts'

const DEFAULT_URL = 'sqlite:./data/accounts.db'
/** Other programs write a relative path after two slashes. Here it would be one from the root. */
const TWO_SLASHES = /^sqlite:\/\/(?!\/)/i

/** Reads DATABASE_URL. URL accepts spaces around it, so an address with a space must not become the path of a file. */
export function readDatabase(read: EnvironmentReader): Config['database'] {
  const text = read.environment.DATABASE_URL?.trim() ?? DEFAULT_URL
  // A deployment passes an unset variable as an empty value. The default would create a second, empty database.
  if (text === '') read.problems.push(`DATABASE_URL is empty: set it, or remove it to use ${DEFAULT_URL}.`)
  if (/^postgres(ql)?:/i.test(text)) return { engine: 'postgres', url: text }
  const url = read.url('DATABASE_URL', ['sqlite:', 'postgres:', 'postgresql:'])?.trim() ?? DEFAULT_URL
  if (TWO_SLASHES.test(url))
    read.problems.push(
      'DATABASE_URL has two slashes after "sqlite:". Write sqlite:./data/accounts.db for a path from the project folder, or sqlite:/data/accounts.db.',
    )
  // SQLite would create a second, empty database with the parameters in its name.
  else if (url.includes('?'))
    read.problems.push('DATABASE_URL has a ? in the path of the SQLite file: remove the parameters behind the path.')
  return { engine: 'sqlite', path: resolve(url.slice('sqlite:'.length)) }
}
