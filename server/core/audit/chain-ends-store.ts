import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { representable } from './store.ts'

/** Each table of an end has one row. */
const ROW_ID = 1

export interface ChainPosition {
  sequence: number
  /** Hash of the event at this position and all before it. */
  hash: string
}

export interface ChainEnd extends ChainPosition {
  mac: string
}

export interface ChainEnds {
  head: ChainEnd | undefined
  /** The last purged event. */
  start: ChainEnd | undefined
  hasOtherRows: boolean
  /** Without a head: whether there is a linked event. */
  hasEventAfterHead: boolean
  /** Whether the event after the start is there. */
  hasEventNextToStart: boolean
}

export const NO_EVENT: ChainPosition = { sequence: 0, hash: '' }

/** One statement, because processes that link or purge concurrently move the ends. */
export async function readChainEnds(database: Kysely<Tables>): Promise<ChainEnds> {
  const { rows } = await sql<ChainEndsRow>`
    select ${representable('head.sequence')} as "headSequence", head.hash as "headHash", head.mac as "headMac",
      ${representable('start.sequence')} as "startSequence", start.hash as "startHash", start.mac as "startMac",
      exists (select 1 from "auditHead" where id <> ${sql.lit(ROW_ID)})
        or exists (select 1 from "auditStart" where id <> ${sql.lit(ROW_ID)}) as "hasOtherRows",
      (select max(sequence) from "auditEvents" where sequence is not null)
        > coalesce(head.sequence, 0) as "hasEventAfterHead",
      (select min(sequence) from "auditEvents" where sequence > coalesce(start.sequence, 0)) - 1
        = coalesce(start.sequence, 0) as "hasEventNextToStart"
    from (select 1) as one
    left join "auditHead" as head on head.id = ${sql.lit(ROW_ID)}
    left join "auditStart" as start on start.id = ${sql.lit(ROW_ID)}`.execute(database)
  const row = rows[0]!
  return {
    head: toChainEnd(row.headSequence, row.headHash, row.headMac),
    start: toChainEnd(row.startSequence, row.startHash, row.startMac),
    hasOtherRows: Boolean(row.hasOtherRows),
    hasEventAfterHead: Boolean(row.hasEventAfterHead),
    hasEventNextToStart: Boolean(row.hasEventNextToStart),
  }
}

interface ChainEndsRow {
  headSequence: number | null
  headHash: string | null
  headMac: string | null
  startSequence: number | null
  startHash: string | null
  startMac: string | null
  hasOtherRows: boolean | number
  hasEventAfterHead: boolean | number | null
  hasEventNextToStart: boolean | number | null
}

/** No MAC is valid for the sequence 0, which stands for a number that JavaScript can't represent. */
function toChainEnd(sequence: number | null, hash: string | null, mac: string | null): ChainEnd | undefined {
  return hash === null || mac === null ? undefined : { sequence: sequence ?? 0, hash, mac }
}

/** @returns false when another process has moved this end of the chain */
export async function advanceChainEnd(
  transaction: Kysely<Tables>,
  table: 'auditHead' | 'auditStart',
  from: number,
  end: ChainEnd,
): Promise<boolean> {
  const moved = await transaction
    .insertInto(table)
    .values({ id: ROW_ID, ...end })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(end).where(`${table}.sequence`, '=', from))
    .returning('sequence')
    .executeTakeFirst()
  return moved !== undefined
}

/** The order of the locks causes no deadlock, because other transactions lock only one of them. */
export async function lockChainEndsForUpdate(transaction: Kysely<Tables>): Promise<void> {
  for (const table of ['auditHead', 'auditStart'] as const)
    await transaction.selectFrom(table).select('id').forUpdate().execute()
}

export async function saveChainEndMac(
  transaction: Kysely<Tables>,
  table: 'auditHead' | 'auditStart',
  mac: string,
): Promise<void> {
  await transaction.updateTable(table).set({ mac }).where('id', '=', ROW_ID).execute()
}
