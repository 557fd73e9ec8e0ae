import { type Kysely, sql } from 'kysely'
import { compileOnce } from '../../platform/database/compile-once.ts'
import type { AuditEventRow, Tables } from '../../platform/database/tables.ts'
import type { AuditAction } from './actions.ts'

const DAY_MILLISECONDS = 86_400_000
const HEAD_ID = 1
const START_ID = 1

export interface AuditHead {
  sequence: number
  hash: string
  mac: string
}

export const insertEvent = compileOnce((database, event: Omit<AuditEventRow, 'sequence' | 'hash'>) =>
  database.insertInto('auditEvents').values(event),
)

/** The last event that was purged; undefined while the log is whole. */
export function findStart(database: Kysely<Tables>): Promise<AuditHead | undefined> {
  return database
    .selectFrom('auditStart')
    .select(['sequence', 'hash', 'mac'])
    .where('id', '=', START_ID)
    .executeTakeFirst()
}

/** Moves the start of the chain, unless another process has. @returns whether it was moved */
export async function advanceStart(transaction: Kysely<Tables>, from: number, start: AuditHead): Promise<boolean> {
  const moved = await transaction
    .insertInto('auditStart')
    .values({ id: START_ID, ...start })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(start).where('auditStart.sequence', '=', from))
    .returning('sequence')
    .executeTakeFirst()
  return moved !== undefined
}

/** Deletes a stretch of the chain. @param from exclusive @param to inclusive */
export async function deleteLinkedEvents(transaction: Kysely<Tables>, from: number, to: number): Promise<void> {
  await transaction.deleteFrom('auditEvents').where('sequence', '>', from).where('sequence', '<=', to).execute()
}

/** Inserts an event, or replaces the count of one that is not linked yet. @returns false when it is linked */
export async function saveOpenEvent(
  transaction: Kysely<Tables>,
  event: Omit<AuditEventRow, 'sequence' | 'hash'>,
): Promise<boolean> {
  const { details, mac } = event
  const saved = await transaction
    .insertInto('auditEvents')
    .values(event)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ details, mac }).where('auditEvents.sequence', 'is', null),
    )
    .returning('id')
    .executeTakeFirst()
  return saved !== undefined
}

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

/** An entry as it is checked: whoever writes to the database may have put a number there that JavaScript has not. */
export interface StoredEvent extends Omit<AuditEventRow, 'createdAt'> {
  createdAt: number | null
}

/**
 * Events that can be linked: those whose count can still grow are left out.
 * @param closedAt epoch milliseconds: windows that ended by then are closed
 * @param offset how many to leave out, the oldest first
 */
export function listUnchained(
  database: Kysely<Tables>,
  closedAt: number,
  limit: number,
  offset: number,
): Promise<StoredEvent[]> {
  return selectUnchained(database)
    .where((where) =>
      where.or([
        where('openUntil', 'is', null),
        where('openUntil', '<=', closedAt),
        // Longer than any window: it was opened by a clock that was ahead.
        where('openUntil', '>', closedAt + DAY_MILLISECONDS),
      ]),
    )
    .limit(limit)
    .offset(offset)
    .execute()
}

/** @param last of the ones before, as they are in order, whatever is linked concurrently; absent to begin */
export function listUnchainedAfter(
  database: Kysely<Tables>,
  last: StoredEvent | undefined,
  limit: number,
): Promise<StoredEvent[]> {
  const from = selectUnchained(database).limit(limit)
  if (!last) return from.execute()
  return from
    .where((where) =>
      where.or([
        where('createdAt', '>', last.createdAt),
        where.and([where('createdAt', '=', last.createdAt), where('id', '>', last.id)]),
      ]),
    )
    .execute()
}

function selectUnchained(database: Kysely<Tables>) {
  return selectStored(database).where('sequence', 'is', null).orderBy('createdAt').orderBy('id')
}

const TEXTS = ['id', 'action', 'actorId', 'impersonatedBy', 'subjectId', 'organizationId', 'ipAddress'] as const
const MORE_TEXTS = ['userAgent', 'requestId', 'details', 'mac', 'hash'] as const

/** A number that JavaScript has not comes as null, instead of failing the whole query. */
function selectStored(database: Kysely<Tables>) {
  const number = (column: 'createdAt' | 'sequence' | 'openUntil') =>
    sql<number | null>`case when ${sql.ref(column)}
      between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER} then ${sql.ref(column)} end`.as(column)
  return database
    .selectFrom('auditEvents')
    .select([...TEXTS, ...MORE_TEXTS])
    .select([number('createdAt'), number('sequence'), number('openUntil')])
}

const updateLink = compileOnce(
  (database, { id, mac, sequence, hash }: { id: string; mac: string; sequence: number; hash: string }) =>
    database
      .updateTable('auditEvents')
      .set({ sequence, hash })
      .where('id', '=', id)
      .where('mac', '=', mac)
      .returning('id'),
)

/** @throws Error when the event is not as it was read: its count has grown, and its place in the chain would be wrong */
export async function linkEvent(
  transaction: Kysely<Tables>,
  link: { id: string; mac: string; sequence: number; hash: string },
): Promise<void> {
  const linked = await updateLink(transaction, link)
  if (linked.length !== 1) throw new Error(`Audit event ${link.id} changed while it was linked`)
}

/**
 * Whatever has a sequence, in its order.
 * @param after undefined to begin with the least there is, even if it is no place in the chain
 */
export function listChained(
  database: Kysely<Tables>,
  after: number | undefined,
  limit: number,
): Promise<StoredEvent[]> {
  return selectStored(database)
    .where((where) => (after === undefined ? where('sequence', 'is not', null) : where('sequence', '>', after)))
    .orderBy('sequence')
    .limit(limit)
    .execute()
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

export async function saveUnlinkedMac(
  database: Kysely<Tables>,
  { id, mac, newMac }: { id: string; mac: string; newMac: string },
): Promise<void> {
  await database
    .updateTable('auditEvents')
    .set({ mac: newMac })
    .where('id', '=', id)
    .where('mac', '=', mac)
    .where('sequence', 'is', null)
    .execute()
}

/** The ends of the chain: in which order they are locked matters to no other transaction, which locks one of them only. */
export async function lockPlacesForUpdate(
  transaction: Kysely<Tables>,
): Promise<{ head: AuditHead | undefined; start: AuditHead | undefined }> {
  const lock = (table: 'auditHead' | 'auditStart') =>
    transaction.selectFrom(table).select(['sequence', 'hash', 'mac']).forUpdate().executeTakeFirst()
  return { head: await lock('auditHead'), start: await lock('auditStart') }
}

export async function savePlaceMac(
  transaction: Kysely<Tables>,
  table: 'auditHead' | 'auditStart',
  mac: string,
): Promise<void> {
  await transaction.updateTable(table).set({ mac }).execute()
}
