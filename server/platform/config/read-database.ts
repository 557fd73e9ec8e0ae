import { resolve } from 'node:path'
import type { Config } from './config.ts'
import type { EnvironmentReader } from './environment-reader.ts'

/** Other programs write a relative path after two slashes. Here it would be one from the root. */
const TWO_SLASHES = /^sqlite:\/\/(?!\/)/i

/** Reads DATABASE_URL. URL accepts spaces around it, so an address with a space must not become the path of a file. */
export function readDatabase(read: EnvironmentReader): Config['database'] {
  const text = read.environment.DATABASE_URL?.trim() ?? ''
  if (/^postgres(ql)?:/i.test(text)) return { engine: 'postgres', url: text }
  const url = read.url('DATABASE_URL', ['sqlite:', 'postgres:', 'postgresql:'])?.trim() ?? 'sqlite:./data/accounts.db'
  if (TWO_SLASHES.test(url))
    read.problems.push(
      'DATABASE_URL has two slashes after "sqlite:". Write sqlite:./data/accounts.db for a path from the project folder, or sqlite:/data/accounts.db.',
    )
  return { engine: 'sqlite', path: resolve(url.slice('sqlite:'.length)) }
}
