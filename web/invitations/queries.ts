import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  OpenedInvitation,
  OpenedInvitationResponse,
} from '../../server/features/organizations/invitations/schemas.ts'
import { request } from '../shared/api/request.ts'

export type Invitation = Static<typeof OpenedInvitation>['invitation']

/** The invitation whose link this browser opened, or null. An unusable invitation is an error that has the reason as its code. */
export const invitationQuery = queryOptions({
  queryKey: ['invitation'],
  queryFn: () => request<Static<typeof OpenedInvitationResponse>>('/api/invitation'),
})
