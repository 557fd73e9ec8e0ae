import type { Kysely } from 'kysely'
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

function selectMatching(database: Kysely<Tables>, { from, until, actions, ...equal }: Omit<AuditFilter, 'userId'>) {
  let query = newestFirst(database)
  for (const [column, value] of Object.entries(equal)) query = query.where(column as keyof typeof equal, '=', value)
  if (actions !== undefined) query = query.where('action', 'in', actions)
  if (from !== undefined) query = query.where('createdAt', '>=', from)
  if (until !== undefined) query = query.where('createdAt', '<', until)
  return query
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
