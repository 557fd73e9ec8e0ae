import type { Kysely } from 'kysely'
import type { AuditEventRow, Tables } from '../../platform/database/tables.ts'
import { withoutIndex } from '../../platform/database/without-index.ts'
import type { AuditAction } from './actions.ts'

export interface AuditFilter {
  userId?: string
  /** Any column with an id, because an imported id does not say of which kind it is. */
  anyId?: string
  actorId?: string
  impersonatedBy?: string
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

export function listEvents(
  database: Kysely<Tables>,
  filter: AuditFilter,
  page: { limit: number; offset: number },
): Promise<AuditEventRow[]> {
  const { userId, anyId, ...rest } = filter
  const id = anyId ?? userId
  const columns = anyId === undefined ? COLUMNS_OF_USER : COLUMNS_OF_ANY_ID
  const events =
    id === undefined
      ? selectMatching(database, rest).limit(page.limit).offset(page.offset)
      : newestFirst(database).where('id', 'in', selectIdsAbout(database, columns, id, rest, page))
  return events.selectAll().execute()
}

function newestFirst(database: Kysely<Tables>) {
  return database.selectFrom('auditEvents').orderBy('createdAt', 'desc').orderBy('id', 'desc')
}

/** The columns of the filter. The first has the fewest events for each value. */
const COLUMNS = ['requestId', 'impersonatedBy', 'subjectId', 'organizationId', 'actorId', 'action'] as const
const COLUMNS_OF_USER = ['actorId', 'subjectId', 'impersonatedBy'] as const
const COLUMNS_OF_ANY_ID = [...COLUMNS_OF_USER, 'organizationId', 'requestId'] as const

type PlainFilter = Omit<AuditFilter, 'userId' | 'anyId'>

function selectMatching(database: Kysely<Tables>, { from, until, actions, ...equal }: PlainFilter) {
  let query = newestFirst(database)
  const [first, ...rest] = COLUMNS.filter((column) => equal[column] !== undefined)
  if (first !== undefined) query = query.where(first, '=', equal[first] as string)
  for (const column of rest) query = query.where(withoutIndex(database, column), '=', equal[column] as string)
  if (actions !== undefined) query = query.where('action', 'in', actions)
  if (from !== undefined) query = query.where('createdAt', '>=', from)
  if (until !== undefined) query = query.where('createdAt', '<', until)
  return query
}

export function listRoleEndings(
  database: Kysely<Tables>,
  userIds: string[],
  from: number,
): Promise<Pick<AuditEventRow, 'subjectId' | 'createdAt' | 'details'>[]> {
  if (userIds.length === 0) return Promise.resolve([])
  return database
    .selectFrom('auditEvents')
    .select(['subjectId', 'createdAt', 'details'])
    .where('subjectId', 'in', userIds)
    .where('createdAt', '>=', from)
    .where(withoutIndex(database, 'action'), 'in', ['user.role-set', 'user.deleted'])
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** Each part is read along its index. One condition with `or` would read and sort all events of the user. */
function selectIdsAbout(
  database: Kysely<Tables>,
  columns: readonly (typeof COLUMNS_OF_ANY_ID)[number][],
  id: string,
  filter: PlainFilter,
  { limit, offset }: { limit: number; offset: number },
) {
  const parts = columns.map((column) => {
    const newest = selectMatching(database, filter)
      .where(column, '=', id)
      .select(['id', 'createdAt'])
      .limit(limit + offset)
    return database.selectFrom(newest.as('part')).selectAll()
  })
  return database
    .selectFrom(parts.reduce((all, part) => all.union(part)).as('all'))
    .select('all.id')
    .orderBy('all.createdAt', 'desc')
    .orderBy('all.id', 'desc')
    .limit(limit)
    .offset(offset)
}
