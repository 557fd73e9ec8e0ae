import type { Static } from 'typebox'
import type { OrganizationRow } from '../database/tables.ts'
import { toIso } from '../http/time.ts'
import type { Organization } from './schemas.ts'

export function toOrganization(row: OrganizationRow): Static<typeof Organization> {
  return { ...row, createdAt: toIso(row.createdAt) }
}
