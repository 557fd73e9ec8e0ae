import { type Kysely, sql } from 'kysely'
import { isPostgres } from '../../platform/database/migration-lock.ts'
import type { AuditEventRow, Tables } from '../../platform/database/tables.ts'
import type { AuditAction } from './actions.ts'

export interface AuditFilter {
  /** The actor or the subject. */
  userId?: string
  actorId?: string
  subjectId?: string
  organizationId?: string
  action?: AuditAction
  actions?: AuditAction[]
  requestId?: string
  /** Epoch milliseconds, inclusive. */
  from?: number
  /** Epoch milliseconds, exclusive. */
  until?: number
}

/** Newest first. */
export function listEvents(
  database: Kysely<Tables>,
  filter: AuditFilter,
  page: { limit: number; offset: number },
): Promise<AuditEventRow[]> {
  const { userId, ...rest } = filter
  const events =
    userId === undefined
      ? selectMatching(database, rest).limit(page.limit).offset(page.offset)
      : newestFirst(database).where('id', 'in', selectIdsOfUser(database, userId, rest, page))
  return events.selectAll().execute()
}

function newestFirst(database: Kysely<Tables>) {
  return database.selectFrom('auditEvents').orderBy('createdAt', 'desc').orderBy('id', 'desc')
}

/** The columns of the filter. The first has the fewest events for each value. */
const COLUMNS = ['requestId', 'subjectId', 'organizationId', 'actorId', 'action'] as const

function selectMatching(database: Kysely<Tables>, { from, until, actions, ...equal }: Omit<AuditFilter, 'userId'>) {
  let query = newestFirst(database)
  const [first, ...rest] = COLUMNS.filter((column) => equal[column] !== undefined)
  if (first !== undefined) query = query.where(first, '=', equal[first] as string)
  for (const column of rest) query = query.where(withoutIndex(database, column), '=', equal[column] as string)
  if (actions !== undefined) query = query.where('action', 'in', actions)
  if (from !== undefined) query = query.where('createdAt', '>=', from)
  if (until !== undefined) query = query.where('createdAt', '<', until)
  return query
}

/** SQLite has no statistics of values, and would read all events with a frequent action for the few of an actor. */
function withoutIndex(database: Kysely<Tables>, column: (typeof COLUMNS)[number]) {
  return isPostgres(database) ? sql.ref<string>(column) : sql<string>`+${sql.ref(column)}`
}

/** Each half is read along its index. One condition with `or` would read and sort all events of the user. */
function selectIdsOfUser(
  database: Kysely<Tables>,
  userId: string,
  filter: Omit<AuditFilter, 'userId'>,
  { limit, offset }: { limit: number; offset: number },
) {
  const half = (column: 'actorId' | 'subjectId') => {
    const newest = selectMatching(database, filter)
      .where(column, '=', userId)
      .select(['id', 'createdAt'])
      .limit(limit + offset)
    return database.selectFrom(newest.as('half')).selectAll()
  }
  return database
    .selectFrom(half('actorId').union(half('subjectId')).as('both'))
    .select('both.id')
    .orderBy('both.createdAt', 'desc')
    .orderBy('both.id', 'desc')
    .limit(limit)
    .offset(offset)
}
