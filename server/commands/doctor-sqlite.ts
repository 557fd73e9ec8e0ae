import { existsSync, lstatSync, statSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Kysely } from 'kysely'
import type { Context } from '../core/context.ts'
import { findSecretFileProblem } from '../platform/crypto/secret-file.ts'
import { findSqliteDamage } from '../platform/database/find-damage.ts'
import { addressForReading } from '../platform/database/open-for-reading.ts'
import { SqliteReaderDialect } from '../platform/database/sqlite-reader.ts'
import type { Tables } from '../platform/database/tables.ts'
import { type Check, checkFirst } from './doctor-check.ts'
import { checksInOrder, requireUndamaged } from './doctor-database.ts'
import { checkFreeSpace, findFileProblem } from './doctor-files.ts'

export function sqliteChecks(context: Context, path: string): Check[] {
  const address = addressForReading(path)
  if (address === undefined) return [['database', () => explainMissing(path)]]
  const database = new Kysely<Tables>({ dialect: new SqliteReaderDialect(address) })
  const damage = async () => requireUndamaged(findSqliteDamage(path))
  const inOrder = checkFirst(['damage', damage], checksInOrder({ ...context, database }))
  return [filesCheck(path), ...inOrder]
}

export function filesCheck(path: string): Check {
  async function check(): Promise<string> {
    const problem = findFileProblem(path) ?? findSecretFileProblem(path)
    if (problem !== undefined) throw new Error(problem)
    return `the user of this process may write them, and ${checkFreeSpace(path)}`
  }
  return ['files', check]
}

async function explainMissing(path: string): Promise<never> {
  const folder = nearestFolder(dirname(path))
  const isWritable = statSync(folder).isDirectory() && (await canWrite(folder))
  if (!isWritable)
    throw new Error(
      `there is none yet, and the service can't write to ${folder}; correct its permissions, or set DATABASE_URL`,
    )
  throw new Error('there is none yet; npm start creates it, and prints a link to make the first administrator')
}

function canWrite(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}

/** The first start creates the missing folders below it, but not the one that a link leads to. */
function nearestFolder(path: string): string {
  if (existsSync(path)) return path
  if (isLink(path)) throw new Error(`${path} is a link to a missing folder; mount it, or set DATABASE_URL`)
  return nearestFolder(dirname(path))
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}
