import type { Insertable } from 'kysely'
import type { AdapterPayload } from 'oidc-provider'
import { inTransaction } from '../../../core/in-transaction.ts'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { toAllowed } from '../../../core/oauth-consents/store.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import { REFRESH_TOKEN_SECONDS } from '../common/scopes.ts'
import { insertNewGrant } from '../grants/insert-new-grant.ts'
import { assertAllowed } from './assert-allowed.ts'
import { insertArtifact } from './store.ts'

/** Ignores the `sid` of the library: a concurrent request may have started or ended the session at the client. */
export async function insertAuthorization(
  context: OpenIdContext,
  payload: AdapterPayload,
  artifactOf: (sid: string) => Insertable<Tables['oauthArtifacts']>,
): Promise<void> {
  const { actor, caller, membership } = getRequestState()
  const { grantId, clientId, scope = '', resource = [] } = payload
  if (!caller || grantId === undefined || clientId === undefined)
    throw new Error('An authorization needs a session, a grant and a client')
  const userId = caller.user.id
  const organizationId = membership?.organization.id ?? null
  await inTransaction(context, actor, async (unit) => {
    const { sid } = await insertNewGrant(unit, 'oauth-client.signed-in', {
      id: grantId,
      clientId,
      userId,
      session: caller.session,
      organizationId,
      scopes: scope,
      resources: JSON.stringify([resource].flat()),
      expiresAt: context.now() + REFRESH_TOKEN_SECONDS * 1000,
    })
    await assertAllowed(unit.transaction, { userId, clientId }, toAllowed(splitScopes(scope), organizationId))
    await insertArtifact(unit.transaction, artifactOf(sid))
  }).catch((error) => {
    if (!(error instanceof ApiError)) throw error
    throw new context.library.errors.AccessDenied(
      'the session got a new token, the session, membership or consent has ended, or the client was disabled',
    )
  })
}
