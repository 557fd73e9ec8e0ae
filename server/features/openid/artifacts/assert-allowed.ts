import type { Kysely } from 'kysely'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { lockOAuthClientForShare } from '../../../core/oauth-clients/store.ts'
import { findConsent } from '../../../core/oauth-consents/store.ts'
import type { OAuthConsentRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/**
 * The user may have ended the access of the client since it was read, and `skip_consent` may have been switched off.
 * @throws ApiError FORBIDDEN; OAUTH_CLIENT_NOT_FOUND when the client was deleted
 */
export async function assertAllowed(
  transaction: Kysely<Tables>,
  { userId, clientId }: Pick<OAuthConsentRow, 'userId' | 'clientId'>,
  scope: string,
): Promise<void> {
  const { skipConsent } = await lockOAuthClientForShare(transaction, clientId)
  if (skipConsent === 1) return
  const consent = await findConsent(transaction, { userId, clientId })
  const allowed = new Set(splitScopes(consent?.scopes))
  if (splitScopes(scope).some((name) => !allowed.has(name))) throw new ApiError('FORBIDDEN')
}
