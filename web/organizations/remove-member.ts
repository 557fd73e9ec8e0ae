import type { Static } from 'typebox'
import type { RemoveMemberResponse } from '../../server/features/organizations/members/schemas.ts'
import { request } from '../shared/api/request.ts'
import type { Member } from './queries.ts'

export type RemovedMember = Static<typeof RemoveMemberResponse>

/** The official client can't delete the API keys of the member. */
export function removeMember({ id, organizationId }: Member, revokeApiKeys: boolean): Promise<RemovedMember> {
  return request('/api/auth/organization/remove-member', { memberIdOrEmail: id, organizationId, revokeApiKeys })
}
