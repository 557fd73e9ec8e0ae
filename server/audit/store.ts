import type { Kysely } from 'kysely'
import { compileOnce } from '../database/compile-once.ts'
import type { AuditEventRow, Tables } from '../database/tables.ts'
import type { AuditAction } from './actions.ts'

const HEAD_ID = 1

export interface AuditHead {
  sequence: number
  hash: string
  mac: string
}

export const insertEvent = compileOnce((database, event: Omit<AuditEventRow, 'sequence' | 'hash'>) =>
  database.insertInto('auditEvents').values(event),
)

/** The end of the chain; of an empty one, its beginning. */
export async function findHead(database: Kysely<Tables>): Promise<AuditHead> {
  const head = await database
    .selectFrom('auditHead')
    .select(['sequence', 'hash', 'mac'])
    .where('id', '=', HEAD_ID)
    .executeTakeFirst()
  return head ?? { sequence: 0, hash: '', mac: '' }
}

/** Moves the end of the chain, unless somebody else has. @returns whether it was moved */
export async function advanceHead(transaction: Kysely<Tables>, from: number, head: AuditHead): Promise<boolean> {
  const moved = await transaction
    .insertInto('auditHead')
    .values({ id: HEAD_ID, ...head })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(head).where('auditHead.sequence', '=', from))
    .returning('sequence')
    .executeTakeFirst()
  return moved !== undefined
}

export function listUnchained(database: Kysely<Tables>, limit: number): Promise<{ id: string; mac: string }[]> {
  return database
    .selectFrom('auditEvents')
    .select(['id', 'mac'])
    .where('sequence', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .limit(limit)
    .execute()
}

export const linkEvent = compileOnce(
  (database, { id, sequence, hash }: { id: string; sequence: number; hash: string }) =>
    database.updateTable('auditEvents').set({ sequence, hash }).where('id', '=', id),
)

/** Linked entries in the order of the chain. */
export function listChained(database: Kysely<Tables>, after: number, limit: number): Promise<AuditEventRow[]> {
  return database
    .selectFrom('auditEvents')
    .selectAll()
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute()
}

export async function countUnchained(database: Kysely<Tables>): Promise<number> {
  const { count } = await database
    .selectFrom('auditEvents')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('sequence', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

export interface AuditFilter {
  actorId?: string
  subjectId?: string
  organizationId?: string
  action?: AuditAction
  /** Epoch milliseconds, inclusive. */
  from?: number
  /** Epoch milliseconds, exclusive. */
  until?: number
}

/** Newest first. */
export function listEvents(
  database: Kysely<Tables>,
  filter: AuditFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<AuditEventRow[]> {
  const { from, until, ...equal } = filter
  let query = database.selectFrom('auditEvents').selectAll()
  for (const [column, value] of Object.entries(equal)) query = query.where(column as keyof typeof equal, '=', value)
  if (from !== undefined) query = query.where('createdAt', '>=', from)
  if (until !== undefined) query = query.where('createdAt', '<', until)
  return query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).offset(offset).execute()
}
