import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { splitKnownScopes } from '../../../core/oauth-clients/scopes.ts'
import { findOAuthClient } from '../../../core/oauth-clients/store.ts'
import type { OAuthClientRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { ENDPOINTS } from '../common/endpoints.ts'
import type { Outcome } from '../provider/outcome.ts'
import type { Providers } from '../provider/provider.ts'

export type InteractionKind = 'login' | 'organization' | 'second-step' | 'consent'

export interface OpenInteraction {
  id: string
  kind: InteractionKind
  client: OAuthClientRow
  scopes: string[]
  redirectUri: string | undefined
  loginHint: string | undefined
  /** The organization that the app named, or else the user chose. */
  organization: { slug?: string | undefined; id?: string | undefined }
  resumeUrl: string
  save(outcome: Outcome): Promise<void>
}

/** The client may have changed since the request of the app. @throws ApiError INTERACTION_NOT_FOUND */
export async function getInteraction(
  context: Context,
  providers: Providers,
  caller: Caller | null,
  id: string,
): Promise<OpenInteraction> {
  const { provider } = await providers.getProvider()
  const interaction = await provider.Interaction.find(id)
  if (!interaction) throw new ApiError('INTERACTION_NOT_FOUND')
  const { params, prompt, session, lastSubmission } = interaction
  const kind = prompt.name as InteractionKind
  if (kind !== 'login' && caller && session?.accountId !== caller.user.id) throw new ApiError('INTERACTION_NOT_FOUND')
  const client = await findOAuthClient(context.database, String(params.client_id))
  if (!client || client.disabled === 1) throw new ApiError('INTERACTION_NOT_FOUND')
  const registration = await provider.Client.find(client.id)
  if (!registration?.redirectUriAllowed(String(params.redirect_uri)) || !registration.responseTypeAllowed('code'))
    throw new ApiError('INTERACTION_NOT_FOUND')
  const outcome = { ...lastSubmission, ...interaction.result } as object as Outcome
  return {
    id,
    kind,
    client,
    scopes: splitKnownScopes(params.scope as string | undefined),
    redirectUri: params.redirect_uri as string | undefined,
    loginHint: params.login_hint as string | undefined,
    organization: { slug: params.organization as string | undefined, id: outcome.organization?.id },
    resumeUrl: `${ENDPOINTS.authorization}/${id}`,
    async save(outcome) {
      // The previous version stored a refusal as an error, which the library would send to the client.
      const { error: _, error_description: __, ...answers } = interaction.result ?? {}
      interaction.result = { ...lastSubmission, ...answers, ...outcome }
      await interaction.persist()
    },
  }
}

/** The official client sends the query of the page as `oauth_query`. @throws ApiError INTERACTION_NOT_FOUND */
export function interactionIdIn(pageQuery: string): string {
  const id = new URLSearchParams(pageQuery).get('interaction')
  if (id === null) throw new ApiError('INTERACTION_NOT_FOUND')
  return id
}
