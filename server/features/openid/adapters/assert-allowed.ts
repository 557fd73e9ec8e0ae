import type { Kysely } from 'kysely'
import { lockOAuthClientForShare } from '../../../core/oauth-clients/store.ts'
import { type Allowed, findConsent, isAllowed } from '../../../core/oauth-consents/store.ts'
import type { OAuthConsentRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** The consent or `skip_consent` may have ended since. @throws ApiError FORBIDDEN; OAUTH_CLIENT_NOT_FOUND */
export async function assertAllowed(
  transaction: Kysely<Tables>,
  { userId, clientId }: Pick<OAuthConsentRow, 'userId' | 'clientId'>,
  allowed: Allowed,
): Promise<void> {
  const { skipConsent } = await lockOAuthClientForShare(transaction, clientId)
  if (skipConsent === 1) return
  if (!isAllowed(await findConsent(transaction, { userId, clientId }), allowed)) throw new ApiError('FORBIDDEN')
}
