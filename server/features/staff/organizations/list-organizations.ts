import type { Kysely, RawBuilder, SqlBool } from 'kysely'
import type { Context } from '../../../core/context.ts'
import { countOpenInvitationsOf } from '../../../core/invitations/store.ts'
import { countRowsOf } from '../../../core/organizations/store.ts'
import { countMatching } from '../../../platform/database/count-matching.ts'
import type { OrganizationRow, Tables } from '../../../platform/database/tables.ts'
import { anyOfSql, columnSql, conditionSql } from '../../../platform/filter/condition-sql.ts'
import { ORGANIZATION_FILTER_COLUMNS, type OrganizationListing } from './parse-query.ts'

interface CountedOrganization extends OrganizationRow {
  memberCount: number
  openInvitationCount: number
}

export async function listOrganizations(
  { slowReads, now }: Context,
  { conditions, sortBy, direction, limit, offset }: OrganizationListing,
): Promise<{ organizations: CountedOrganization[]; total: number }> {
  let matching = slowReads.selectFrom('organizations')
  for (const condition of conditions) matching = matching.where(columnsSql(slowReads, condition))
  const rows = await matching
    .selectAll()
    .orderBy(columnSql(slowReads, ORGANIZATION_FILTER_COLUMNS[sortBy]), direction)
    .orderBy(columnSql(slowReads, ORGANIZATION_FILTER_COLUMNS.id), direction)
    .limit(limit)
    .offset(offset)
    .execute()
  const total = await countMatching(matching)
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

function columnsSql(
  database: Kysely<Tables>,
  condition: OrganizationListing['conditions'][number],
): RawBuilder<SqlBool> {
  const { name, slug } = ORGANIZATION_FILTER_COLUMNS
  if (condition.column !== 'any')
    return conditionSql(database, ORGANIZATION_FILTER_COLUMNS[condition.column], condition)
  return anyOfSql(database, [name, slug], condition)
}
