import { SECRET_LENGTH_MINIMUM } from '../crypto/keyring.ts'
import {
  LOST_SECRET_ADVICE,
  MAKE_SECRET_ADVICE,
  readSecretFile,
  SecretError,
  secretPathOf,
} from '../crypto/secret-file.ts'
import type { Environment } from './environment-reader.ts'

const SET_SECRET_ADVICE = `set it to the one that the database or its backup was made with, for every process. A new database needs a new SECRET. ${MAKE_SECRET_ADVICE}`

export interface Secrets {
  /** Empty until the first start with SQLite creates the `secret` file. */
  secret: string
  /** Still decrypts and verifies during a rotation of SECRET. */
  previousSecret?: string
}

export function readSecrets(environment: Environment, sqlitePath: string | undefined, problems: string[]): Secrets {
  const secret = readSecret(environment.SECRET, sqlitePath, problems)
  const previousSecret = environment.PREVIOUS_SECRET
  if (!previousSecret) return { secret }
  if (isShort(previousSecret)) {
    problems.push(
      `PREVIOUS_SECRET is shorter than ${SECRET_LENGTH_MINIMUM} characters: set it to the SECRET from before the rotation, or remove it.`,
    )
  }
  if (previousSecret === secret) {
    problems.push('PREVIOUS_SECRET is the same as SECRET: set SECRET to a new one, or remove PREVIOUS_SECRET.')
  }
  return { secret, previousSecret }
}

function readSecret(secret: string | undefined, sqlitePath: string | undefined, problems: string[]): string {
  if (secret === undefined || (secret === '' && sqlitePath === undefined)) {
    if (sqlitePath !== undefined) return readFromFile(sqlitePath, problems)
    problems.push(`SECRET is missing: ${SET_SECRET_ADVICE}`)
    return ''
  }
  if (secret === '') problems.push(`SECRET is empty: set it, or remove it to use the file beside the database.`)
  else if (isShort(secret))
    problems.push(`SECRET is shorter than ${SECRET_LENGTH_MINIMUM} characters: ${SET_SECRET_ADVICE}`)
  return secret
}

function readFromFile(sqlitePath: string, problems: string[]): string {
  const path = secretPathOf(sqlitePath)
  try {
    const secret = readSecretFile(path)
    if (secret === undefined) return ''
    if (isShort(secret)) {
      problems.push(
        `The file ${path} is ${secret === '' ? 'empty' : `shorter than ${SECRET_LENGTH_MINIMUM} characters`}: put your copy of it back. Where there is no data yet, delete it, and the next start creates it. ${LOST_SECRET_ADVICE}`,
      )
    }
    return secret
  } catch (error) {
    if (!(error instanceof SecretError)) throw error
    problems.push(error.message)
    return ''
  }
}

function isShort(secret: string): boolean {
  return secret.trim().length < SECRET_LENGTH_MINIMUM
}
