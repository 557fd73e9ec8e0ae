import { lstatSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from '../platform/config/environment-reader.ts'
import { SETTING_NAMES } from '../platform/config/setting-names.ts'
import { decodeUtf8 } from '../platform/decode-utf8.ts'
import { findExposureProblem } from '../platform/files/exposed-file.ts'
import { CommandError } from './command.ts'

export const ENVIRONMENT_FILE = '.env'

/**
 * `process.loadEnvFile` would ignore a file that it may not read, and the service would start on a new database.
 * @throws CommandError for a file that can't be read or decoded, or has a setting that `parseEnv` ignores
 */
export function loadEnvironmentFile(path: string, environment: Environment): void {
  if (!exists(path)) return
  const text = read(path)
  const found = parseEnv(text)
  const ignored = listNamesOfLines(text).find((name) => SETTING_NAMES.includes(name) && found[name] === undefined)
  if (ignored !== undefined)
    throw new CommandError(`${resolve(path)} has ${ignored} without = after the name: write ${ignored}=value.`)
  for (const [name, value] of Object.entries(found)) environment[name] ??= value
}

const SECRET_NAMES = ['SECRET', 'PREVIOUS_SECRET', 'PGPASSWORD']
const ADDRESS_NAMES = ['DATABASE_URL', 'SMTP_URL']
const PASSWORD_IN_ADDRESS = /:\/\/[^@]*:[^@]*@|[?&]password=/

/** @returns the problem of a file with a secret or a password that other users can read, with its solution */
export function findEnvironmentFileProblem(path: string): string | undefined {
  if (!exists(path)) return undefined
  const found = parseEnv(read(path))
  const hasSecret = SECRET_NAMES.some((name) => found[name])
  const hasPassword = ADDRESS_NAMES.some((name) => PASSWORD_IN_ADDRESS.test(found[name] ?? ''))
  return hasSecret || hasPassword ? findExposureProblem(resolve(path)) : undefined
}

/** Lines such as `PORT: 4000`, as in YAML, have a name, and `parseEnv` ignores them. */
function listNamesOfLines(text: string): string[] {
  return [...text.matchAll(/^\s*(?:export\s+)?([A-Z0-9_]+)\b/gm)].map(([, name = '']) => name)
}

/** Also true for a symbolic link without its file: reading it must be an error. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** A byte order mark, which some editors write, would become a part of the first name. */
function read(path: string): string {
  const text = decodeUtf8(readBytes(path))
  if (text === undefined) throw new CommandError(`${resolve(path)} is not encoded in UTF-8: save it in UTF-8.`)
  return text.replace(/^\ufeff/, '')
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const problem = code === 'EISDIR' ? 'is a folder' : `can't be read (${message})`
    throw new CommandError(
      `${resolve(path)} ${problem}: make it a file that the user of the service may read, or remove it.`,
    )
  }
}
