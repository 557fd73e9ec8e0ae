import type { RawBuilder, SqlBool } from 'kysely'
import type { Context } from '../../../core/context.ts'
import { countOpenInvitationsOf } from '../../../core/invitations/store.ts'
import { countRowsOf } from '../../../core/organizations/store.ts'
import type { Engine } from '../../../platform/config/config.ts'
import type { OrganizationRow } from '../../../platform/database/tables.ts'
import { anyOfSql, columnSql, conditionSql } from '../../../platform/filter/condition-sql.ts'
import { ORGANIZATION_COLUMNS, type OrganizationListing } from './parse-query.ts'

interface CountedOrganization extends OrganizationRow {
  memberCount: number
  openInvitationCount: number
}

/** One page of organizations, read off the main thread. Members and invitations are counted for this page only. */
export async function listOrganizations(
  { slowReads, config, now }: Context,
  { conditions, sortBy, direction, limit, offset }: OrganizationListing,
): Promise<{ organizations: CountedOrganization[]; total: number }> {
  const { engine } = config.database
  let matching = slowReads.selectFrom('organizations')
  for (const condition of conditions) matching = matching.where(columnsSql(engine, condition))
  const rows = await matching
    .selectAll()
    .orderBy(columnSql(engine, ORGANIZATION_COLUMNS[sortBy]), direction)
    .orderBy(columnSql(engine, ORGANIZATION_COLUMNS.id), direction)
    .limit(limit)
    .offset(offset)
    .execute()
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const ids = rows.map(({ id }) => id)
  const memberCounts = await countRowsOf(slowReads, 'members', ids)
  const invitationCounts = await countOpenInvitationsOf(slowReads, ids, now())
  const organizations = rows.map((row) => ({
    ...row,
    memberCount: memberCounts.get(row.id) ?? 0,
    openInvitationCount: invitationCounts.get(row.id) ?? 0,
  }))
  return { organizations, total }
}

/** `any` is the name or the slug. */
function columnsSql(engine: Engine, condition: OrganizationListing['conditions'][number]): RawBuilder<SqlBool> {
  const { name, slug } = ORGANIZATION_COLUMNS
  if (condition.column !== 'any') return conditionSql(engine, ORGANIZATION_COLUMNS[condition.column], condition)
  return anyOfSql(engine, [name, slug], condition)
}
