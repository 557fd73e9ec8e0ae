import type { Static } from 'typebox'
import type { OrganizationRow } from '../../../platform/database/tables.ts'
import { toIso } from '../../../platform/http/time.ts'
import type { Organization } from './schemas.ts'

export function toOrganization(row: OrganizationRow): Static<typeof Organization> {
  return { ...row, createdAt: toIso(row.createdAt), requireTwoFactor: row.requireTwoFactor === 1 }
}
