import { queryOptions } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'

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
