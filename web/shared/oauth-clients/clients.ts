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
 * @param client that the page shows: the service refuses a change of redirect URIs if others are stored
 * @throws RequestFailed METADATA_CHANGED, among others
 */
export function updateClient(client: OAuthClient, update: Partial<OAuthClient>): Promise<OAuthClient> {
  const { client_id, redirect_uris, post_logout_redirect_uris } = client
  // Both, because the type of the app follows from both.
  const changesList = 'redirect_uris' in update || 'post_logout_redirect_uris' in update
  const expected = changesList && { expected: { redirect_uris, post_logout_redirect_uris } }
  return request('/api/auth/oauth2/update-client', { client_id, update, ...expected })
}

export function rotateSecret({ client_id }: OAuthClient): Promise<NewOAuthClient> {
  return request('/api/auth/oauth2/client/rotate-secret', { client_id })
}

export function deleteClient({ client_id }: OAuthClient): Promise<unknown> {
  return request('/api/auth/oauth2/delete-client', { client_id })
}
