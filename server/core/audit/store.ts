import { type Kysely, sql } from 'kysely'
import { compileOnce, RESULT_UNUSED } from '../../platform/database/compile-once.ts'
import { countMatching } from '../../platform/database/count-matching.ts'
import type { AuditEventRow, Tables } from '../../platform/database/tables.ts'
import { DAY_MILLISECONDS } from '../../platform/time/time-units.ts'

export const insertEvent = compileOnce(
  (database, event: Omit<AuditEventRow, 'sequence' | 'hash'>) => database.insertInto('auditEvents').values(event),
  RESULT_UNUSED,
)

export async function insertEvents(
  database: Kysely<Tables>,
  events: Omit<AuditEventRow, 'sequence' | 'hash'>[],
): Promise<void> {
  await database.insertInto('auditEvents').values(events).execute()
}

/** @param from exclusive @param to inclusive */
export async function deleteLinkedEvents(transaction: Kysely<Tables>, from: number, to: number): Promise<void> {
  await transaction.deleteFrom('auditEvents').where('sequence', '>', from).where('sequence', '<=', to).execute()
}

/** A statement for each event blocked for 11 ms in a flood. @returns the ids of the saved, not yet linked events */
export async function saveOpenEvents(
  transaction: Kysely<Tables>,
  events: Omit<AuditEventRow, 'sequence' | 'hash'>[],
): Promise<Set<string>> {
  const saved = await transaction
    .insertInto('auditEvents')
    .values(events)
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(({ ref }) => ({ details: ref('excluded.details'), mac: ref('excluded.mac') }))
        .where('auditEvents.sequence', 'is', null),
    )
    .returning('id')
    .execute()
  return new Set(saved.map(({ id }) => id))
}

/** An attacker with access to the database may have stored a number that JavaScript can't represent. */
export interface StoredEvent extends Omit<AuditEventRow, 'createdAt'> {
  createdAt: number | null
}

/** Leaves out events whose count can still grow: those of windows that end after `closedAt` (epoch milliseconds). */
export function listUnlinked(
  database: Kysely<Tables>,
  closedAt: number,
  limit: number,
  offset: number,
): Promise<StoredEvent[]> {
  return selectUnlinked(database)
    .where((where) =>
      where.or([
        where('openUntil', 'is', null),
        where('openUntil', '<=', closedAt),
        // Windows are shorter than a day: a clock that was ahead opened this one.
        where('openUntil', '>', closedAt + DAY_MILLISECONDS),
      ]),
    )
    .limit(limit)
    .offset(offset)
    .execute()
}

/** @param last event of the previous batch, which stays valid if events are linked concurrently */
export function listUnlinkedAfter(
  database: Kysely<Tables>,
  last: StoredEvent | undefined,
  limit: number,
): Promise<StoredEvent[]> {
  const from = selectUnlinked(database).limit(limit)
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

export function countUnlinked(database: Kysely<Tables>): Promise<number> {
  return countMatching(database.selectFrom('auditEvents').where('sequence', 'is', null))
}

function selectUnlinked(database: Kysely<Tables>) {
  return selectStored(database).where('sequence', 'is', null).orderBy('auditEvents.createdAt').orderBy('auditEvents.id')
}

/** Null for a number that JavaScript can't represent, which would otherwise fail the whole query. */
export function representable(column: string) {
  return sql<number | null>`case when ${sql.ref(column)}
    between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER} then ${sql.ref(column)} end`
}

/** An order must name the table: without it, `sequence` is the result of an expression, which no index has. */
function selectStored(database: Kysely<Tables>) {
  const number = (column: 'createdAt' | 'sequence' | 'openUntil') => representable(column).as(column)
  return database
    .selectFrom('auditEvents')
    .select(['id', 'action', 'actorId', 'impersonatedBy', 'subjectId', 'organizationId', 'ipAddress'])
    .select(['userAgent', 'requestId', 'details', 'mac', 'hash'])
    .select([number('createdAt'), number('sequence'), number('openUntil')])
}

export interface ChainLink {
  id: string
  mac: string
  sequence: number
  hash: string
}

/** One statement saves round trips. @throws Error when an event, such as its count, was changed since it was read */
export async function linkEvents(transaction: Kysely<Tables>, links: ChainLink[]): Promise<void> {
  const values = links.map(({ id, mac, sequence, hash }) => sql`(${id}, ${mac}, cast(${sequence} as bigint), ${hash})`)
  const { rows } = await sql<{ id: string }>`
    with links (id, mac, sequence, hash) as (values ${sql.join(values)})
    update "auditEvents" set sequence = links.sequence, hash = links.hash from links
    where "auditEvents".id = links.id and "auditEvents".mac = links.mac
    returning "auditEvents".id`.execute(transaction)
  const linked = new Set(rows.map(({ id }) => id))
  const changed = links.find(({ id }) => !linked.has(id))
  if (changed) throw new Error(`Audit event ${changed.id} changed while it was linked`)
}

/** Also events whose sequence is no position in the chain. */
export function listLinked(database: Kysely<Tables>, after: number | undefined, limit: number): Promise<StoredEvent[]> {
  return selectStored(database)
    .where((where) => (after === undefined ? where('sequence', 'is not', null) : where('sequence', '>', after)))
    .orderBy('auditEvents.sequence')
    .limit(limit)
    .execute()
}

/** Skips events that are later than `latest`, because their clock was ahead. */
export async function isNextEventBefore(
  database: Kysely<Tables>,
  after: number,
  { latest, time }: { latest: number; time: number },
): Promise<boolean> {
  const next = await database
    .selectFrom('auditEvents')
    .select((select) => select('createdAt', '<', time).as('isBefore'))
    .where('sequence', '>', after)
    .where('createdAt', '<=', latest)
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst()
  return Boolean(next?.isBefore)
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
