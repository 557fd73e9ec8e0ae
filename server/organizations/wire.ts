import type { Static } from 'typebox'
import type { MemberRow, OrganizationRow } from '../database/tables.ts'
import { toIso } from '../http/time.ts'
import type { Member, Organization } from './schemas.ts'

export function toOrganization(row: OrganizationRow): Static<typeof Organization> {
  return { ...row, createdAt: toIso(row.createdAt) }
}

export function toMember(row: MemberRow): Static<typeof Member> {
  return { ...row, createdAt: toIso(row.createdAt) }
}
