import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  CreatedApiKey as CreatedApiKeySchema,
  ListApiKeysAnswer,
} from '../../server/features/organizations/api-keys/schemas.ts'
import type { ListOrganizationEventsAnswer } from '../../server/features/organizations/audit/schemas.ts'
import type {
  ListInvitationsAnswer,
  PreviewInvitationAnswer,
} from '../../server/features/organizations/invitations/schemas.ts'
import type { ListMembersAnswer } from '../../server/features/organizations/members/schemas.ts'
import type { Overview as OverviewSchema } from '../../server/features/organizations/organizations/schemas.ts'
import { type Parameters, queryString } from '../shared/api/query-string.ts'
import { request } from '../shared/api/request.ts'
import type { Role } from './roles.ts'

export type Overview = Static<typeof OverviewSchema>
export type Member = Static<typeof ListMembersAnswer>['members'][number]
export type Invitation = Static<typeof ListInvitationsAnswer>['invitations'][number]
export type ApiKey = Static<typeof ListApiKeysAnswer>['apiKeys'][number]
export type CreatedApiKey = Static<typeof CreatedApiKeySchema>

/** The overview, by the slug in the address. It contains the id, by which the other queries of an organization ask. */
export const overviewQuery = (slug: string) =>
  queryOptions({
    queryKey: ['organization', slug],
    queryFn: () => get<Overview>('organization/get-overview', { organizationSlug: slug }),
  })

export const membersQuery = (organizationId: string, listing: Parameters) =>
  queryOptions({
    queryKey: ['members', organizationId, listing],
    queryFn: () => get<Static<typeof ListMembersAnswer>>('organization/list-members', { organizationId, ...listing }),
  })

export const invitationsQuery = (organizationId: string, listing: Parameters) =>
  queryOptions({
    queryKey: ['invitations', organizationId, listing],
    queryFn: () =>
      get<Static<typeof ListInvitationsAnswer>>('organization/list-invitations', { organizationId, ...listing }),
  })

export const previewQuery = (organizationId: string, role: Role) =>
  queryOptions({
    queryKey: ['preview', organizationId, role],
    queryFn: () =>
      get<Static<typeof PreviewInvitationAnswer>>('organization/preview-invitation', { organizationId, role }),
  })

export const apiKeysQuery = (organizationId: string, listing: Parameters) =>
  queryOptions({
    queryKey: ['api keys', organizationId, listing],
    queryFn: () => get<Static<typeof ListApiKeysAnswer>>('api-key/list', { organizationId, ...listing }),
  })

export const eventsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['events', organizationId],
    queryFn: () =>
      get<Static<typeof ListOrganizationEventsAnswer>>('organization/list-audit-events', { organizationId, limit: 10 }),
  })

function get<Answer>(path: string, parameters: Parameters): Promise<Answer> {
  return request<Answer>(`/api/auth/${path}?${queryString(parameters)}`)
}
