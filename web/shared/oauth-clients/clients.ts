import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  OAuthClient as OAuthClientSchema,
  OAuthClientWithSecret,
} from '../../../server/features/oauth-clients/schemas.ts'
import { request } from '../api/request.ts'

export type OAuthClient = Static<typeof OAuthClientSchema>
export type NewOAuthClient = Static<typeof OAuthClientWithSecret>

/** The owner of the apps on the page. The address of the page names it, so the active organization never counts. */
export type Owner = { organizationId: string } | { ownedBy: 'service' }

export const clientsQuery = (owner: Owner) =>
  queryOptions({
    queryKey: ['oauth clients', owner],
    queryFn: () => request<OAuthClient[]>(`/api/auth/oauth2/get-clients?${new URLSearchParams(owner)}`),
  })

export function createClient(owner: Owner, metadata: object): Promise<NewOAuthClient> {
  return request('/api/auth/oauth2/create-client', { ...metadata, ...owner })
}

/**
 * @param client that the page shows: the service refuses a changed list of redirect URIs if another list is stored
 * @throws RequestFailed METADATA_CHANGED, among others
 */
export function updateClient(client: OAuthClient, update: Partial<OAuthClient>): Promise<OAuthClient> {
  const lists = (['redirect_uris', 'post_logout_redirect_uris'] as const).filter((name) => name in update)
  const expected = lists.length > 0 && { expected: Object.fromEntries(lists.map((name) => [name, client[name]])) }
  return request('/api/auth/oauth2/update-client', { client_id: client.client_id, update, ...expected })
}

export function rotateSecret({ client_id }: OAuthClient): Promise<NewOAuthClient> {
  return request('/api/auth/oauth2/client/rotate-secret', { client_id })
}

export function deleteClient({ client_id }: OAuthClient): Promise<unknown> {
  return request('/api/auth/oauth2/delete-client', { client_id })
}
