import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  CreatedApiKey as CreatedApiKeySchema,
  ListApiKeysResponse,
} from '../../server/features/organizations/api-keys/schemas.ts'
import type { ListOrganizationEventsResponse } from '../../server/features/organizations/audit/schemas.ts'
import type {
  ListInvitationsResponse,
  PreviewInvitationResponse,
} from '../../server/features/organizations/invitations/schemas.ts'
import type { ListMembersResponse } from '../../server/features/organizations/members/schemas.ts'
import type { Overview as OverviewSchema } from '../../server/features/organizations/organizations/schemas.ts'
import { OVERVIEW_KEY } from '../shared/api/queries.ts'
import { type Parameters, queryString } from '../shared/api/query-string.ts'
import { request } from '../shared/api/request.ts'
import type { Role } from './roles.ts'

export type Overview = Static<typeof OverviewSchema>
export type Member = Static<typeof ListMembersResponse>['members'][number]
export type Invitation = Static<typeof ListInvitationsResponse>['invitations'][number]
export type ApiKey = Static<typeof ListApiKeysResponse>['apiKeys'][number]
export type CreatedApiKey = Static<typeof CreatedApiKeySchema>

/** The overview, by the slug in the address. It contains the id, by which the other queries of an organization ask. */
export const overviewQuery = (slug: string) =>
  queryOptions({
    queryKey: [OVERVIEW_KEY, slug],
    queryFn: () => get<Overview>('organization/get-overview', { organizationSlug: slug }),
  })

export const membersQuery = (organizationId: string, listing: Parameters) =>
  queryOptions({
    queryKey: ['members', organizationId, listing],
    queryFn: () => get<Static<typeof ListMembersResponse>>('organization/list-members', { organizationId, ...listing }),
  })

export const invitationsQuery = (organizationId: string, listing: Parameters) =>
  queryOptions({
    queryKey: ['invitations', organizationId, listing],
    queryFn: () =>
      get<Static<typeof ListInvitationsResponse>>('organization/list-invitations', { organizationId, ...listing }),
  })

export const previewQuery = (organizationId: string, role: Role) =>
  queryOptions({
    queryKey: ['preview', organizationId, role],
    queryFn: () =>
      get<Static<typeof PreviewInvitationResponse>>('organization/preview-invitation', { organizationId, role }),
  })

export const apiKeysQuery = (organizationId: string, listing: Parameters) =>
  queryOptions({
    queryKey: ['api keys', organizationId, listing],
    queryFn: () => get<Static<typeof ListApiKeysResponse>>('api-key/list', { organizationId, ...listing }),
  })

export const eventsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['events', organizationId],
    queryFn: () =>
      get<Static<typeof ListOrganizationEventsResponse>>('organization/list-audit-events', {
        organizationId,
        limit: 10,
      }),
  })

function get<Answer>(path: string, parameters: Parameters): Promise<Answer> {
  return request<Answer>(`/api/auth/${path}?${queryString(parameters)}`)
}
