import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { ListInvitationsAnswer } from '../../server/features/organizations/invitations/schemas.ts'
import { authentication } from '../shared/api/authentication.ts'
import { request } from '../shared/api/request.ts'

/** An organization with its first 100 members and its open invitations. */
export const organizationQuery = (slug: string) =>
  queryOptions({
    queryKey: ['organization', slug],
    queryFn: () => authentication.organization.getFullOrganization({ query: { organizationSlug: slug } }),
  })

/** The role of the user in the organization. */
export const roleQuery = (slug: string) =>
  queryOptions({
    queryKey: ['role', slug],
    queryFn: () => authentication.organization.getActiveMemberRole({ query: { organizationSlug: slug } }),
  })

type MemberListing = { limit: number; offset: number; sortBy: string; sortDirection: 'asc' | 'desc' }

export const membersQuery = (slug: string, listing: MemberListing) =>
  queryOptions({
    queryKey: ['members', slug, listing],
    queryFn: () => authentication.organization.listMembers({ query: { organizationSlug: slug, ...listing } }),
  })

export const invitationsQuery = (slug: string) =>
  queryOptions({
    queryKey: ['invitations', slug],
    queryFn: () =>
      request<Static<typeof ListInvitationsAnswer>>(
        `/api/auth/organization/list-invitations?${new URLSearchParams({ organizationSlug: slug })}`,
      ),
  })
