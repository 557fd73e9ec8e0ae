import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'

/** Tables with any number of rows of an organization. */
type LargeTable = 'members' | 'invitations'

/** Rows in the order of the index. `hasMoreThan` explains `between`. */
export function selectOfOrganization(database: Kysely<Tables>, table: LargeTable, organizationId: string) {
  return database
    .selectFrom(table)
    .select('id')
    .where(({ between }) => between('organizationId', organizationId, organizationId))
    .orderBy('organizationId')
}
