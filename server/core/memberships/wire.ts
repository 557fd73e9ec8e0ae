import type { Static } from 'typebox'
import type { MemberRow } from '../../platform/database/tables.ts'
import { toIso, toIsoOrNull } from '../../platform/http/time.ts'
import type { Member, MemberOfUser } from './schemas.ts'
import type { MemberWithUser } from './store.ts'

export function toMember(row: MemberRow): Static<typeof Member> {
  return { ...row, createdAt: toIso(row.createdAt), lastUsedAt: toIsoOrNull(row.lastUsedAt) }
}

export function toMemberOfUser(row: MemberWithUser): Static<typeof MemberOfUser> {
  return { ...toMember(row), user: row.user }
}
