import { lstatSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from '../platform/config/environment-reader.ts'
import { CommandError } from './command.ts'

/**
 * Adds the lines of a file to the settings; variables that are set already stay. `process.loadEnvFile` ignores a file that it
 * may not read, and the service would start on a new database.
 * @throws CommandError when there is a file that can't be read
 */
export function loadEnvironmentFile(path: string, environment: Environment): void {
  if (!exists(path)) return
  for (const [name, value] of Object.entries(parseEnv(read(path)))) environment[name] ??= value
}

/** A symbolic link without its file exists too. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const problem = code === 'EISDIR' ? 'is a folder' : `can't be read (${message})`
    throw new CommandError(
      `${resolve(path)} ${problem}: make it a file that the user of the service may read, or remove it.`,
    )
  }
}
