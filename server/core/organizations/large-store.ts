import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'

/** Tables with any number of rows of an organization. */
type LargeTable = 'members' | 'invitations'

/** Rows in the order of the index. With `=`, PostgreSQL ignores the order: for a limit, it may read every row. */
export function selectOfOrganization(database: Kysely<Tables>, table: LargeTable, organizationId: string) {
  return database
    .selectFrom(table)
    .select('id')
    .where(({ between }) => between('organizationId', organizationId, organizationId))
    .orderBy('organizationId')
}

/** Whether an organization has more rows of the table than this number. */
export async function hasMoreRowsThan(
  database: Kysely<Tables>,
  table: LargeTable,
  organizationId: string,
  count: number,
): Promise<boolean> {
  const next = selectOfOrganization(database, table, organizationId).offset(count).limit(1)
  return (await next.executeTakeFirst()) !== undefined
}
