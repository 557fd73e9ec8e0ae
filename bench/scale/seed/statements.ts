import type { Insert, Values } from './insert.ts'
import { listOpenIdRows } from './openid-rows.ts'
import { listOrganizationRows } from './organization-rows.ts'
import { listUserRows } from './user-rows.ts'

/**
 * The rows of all tables but the audit log. Both engines understand each statement, with `token_hash`, which each seeder
 * creates. A row follows from its number, so that a benchmark knows the rows without reading them.
 */
export function listStatements(values: Values): Insert[] {
  return [...listOrganizationRows(values), ...listUserRows(values), ...listOpenIdRows(values)]
}
