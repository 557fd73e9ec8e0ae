import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'

const HEAD_ID = 1
const START_ID = 1

export interface ChainPosition {
  sequence: number
  /** Hash of the event at this position and all before it. */
  hash: string
}

/** The chain head, or the last purged event. */
export interface ChainEnd extends ChainPosition {
  mac: string
}

export const NOTHING_PURGED: ChainEnd = { sequence: 0, hash: '', mac: '' }

/** The last purged event. */
export function findStart(database: Kysely<Tables>): Promise<ChainEnd | undefined> {
  return database
    .selectFrom('auditStart')
    .select(['sequence', 'hash', 'mac'])
    .where('id', '=', START_ID)
    .executeTakeFirst()
}

/** @returns false when another process has moved the start of the chain */
export async function advanceStart(transaction: Kysely<Tables>, from: number, start: ChainEnd): Promise<boolean> {
  const moved = await transaction
    .insertInto('auditStart')
    .values({ id: START_ID, ...start })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(start).where('auditStart.sequence', '=', from))
    .returning('sequence')
    .executeTakeFirst()
  return moved !== undefined
}

/** An empty chain has the sequence 0. */
export async function readHead(database: Kysely<Tables>): Promise<ChainEnd> {
  const head = await database
    .selectFrom('auditHead')
    .select(['sequence', 'hash', 'mac'])
    .where('id', '=', HEAD_ID)
    .executeTakeFirst()
  return head ?? { sequence: 0, hash: '', mac: '' }
}

/** @returns false when another process has moved the chain head */
export async function advanceHead(transaction: Kysely<Tables>, from: number, head: ChainEnd): Promise<boolean> {
  const moved = await transaction
    .insertInto('auditHead')
    .values({ id: HEAD_ID, ...head })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(head).where('auditHead.sequence', '=', from))
    .returning('sequence')
    .executeTakeFirst()
  return moved !== undefined
}

/** The order of the locks causes no deadlock, because other transactions lock only one of them. */
export async function lockChainEndsForUpdate(
  transaction: Kysely<Tables>,
): Promise<{ head: ChainEnd | undefined; start: ChainEnd | undefined }> {
  const lock = (table: 'auditHead' | 'auditStart') =>
    transaction.selectFrom(table).select(['sequence', 'hash', 'mac']).forUpdate().executeTakeFirst()
  return { head: await lock('auditHead'), start: await lock('auditStart') }
}

export async function saveChainEndMac(
  transaction: Kysely<Tables>,
  table: 'auditHead' | 'auditStart',
  mac: string,
): Promise<void> {
  await transaction.updateTable(table).set({ mac }).execute()
}
