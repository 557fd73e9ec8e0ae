import { queryOptions } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { request } from '../shared/api/request.ts'

export type Invitation = {
  id: string
  email: string
  role: string
  organizationName: string
  organizationSlug: string
  inviterName: string
  expiresAt: string
}

type OpenedInvitation = { invitation: Invitation; addressKnown: boolean }

export const organizationsQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: () => authentication.organization.list(),
})

/** The invitation whose link this browser opened, or null. An unusable invitation is an error that has the reason as its code. */
export const invitationQuery = queryOptions({
  queryKey: ['invitation'],
  queryFn: () => request<OpenedInvitation | null>('/api/invitation'),
})
