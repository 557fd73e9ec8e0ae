import type { RateLimits } from '../../core/access/rate-limits.ts'
import type { Actor } from '../../core/audit/actor.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import { CONFIDENTIAL_GRANT_TYPES } from '../../core/oauth-clients/metadata.ts'
import { type ClientWithSecret, newOAuthClient } from '../../core/oauth-clients/new-client.ts'
import { parseClientMetadata } from '../../core/oauth-clients/parse-metadata.ts'
import type { ClientMetadataInput } from '../../core/oauth-clients/schemas.ts'
import { countOAuthClients, insertOAuthClient } from '../../core/oauth-clients/store.ts'
import { lockForTransaction } from '../../platform/database/advisory-lock.ts'
import { ApiError } from '../../platform/http/errors.ts'

const REGISTERED_CLIENTS_MAXIMUM = 1_000

/**
 * Dynamic client registration (RFC 7591): a client of the service without a manager, which always asks for consent.
 * @throws ApiError CLIENT_REGISTRATION_DISABLED; INVALID_REDIRECT_URI; INVALID_CLIENT_METADATA; TOO_MANY_REQUESTS;
 *   OAUTH_CLIENT_LIMIT_REACHED
 */
export async function registerClient(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  input: ClientMetadataInput,
): Promise<ClientWithSecret> {
  if (!context.config.allowClientRegistration) throw new ApiError('CLIENT_REGISTRATION_DISABLED')
  const metadata = parseClientMetadata(context.config, input)
  const withoutUser = metadata.grant_types.find((type) => CONFIDENTIAL_GRANT_TYPES.includes(type))
  if (withoutUser) {
    const message = `Apps that register themselves do not get the grant type ${withoutUser}. Ask an administrator.`
    throw new ApiError('INVALID_CLIENT_METADATA', { field: 'grant_types', message })
  }
  await rateLimits.chargeRegistration(actor.ipAddress)
  const created = newOAuthClient(context, metadata, { organizationId: null, createdBy: null })
  return inTransaction(context, actor, async ({ transaction, record }) => {
    // Concurrent registrations would all count the clients before the others are inserted.
    await lockForTransaction(transaction, 'client registration')
    if ((await countOAuthClients(transaction, 'registered')) >= REGISTERED_CLIENTS_MAXIMUM) {
      const message = 'The maximum number of apps has registered itself here. Ask an administrator.'
      throw new ApiError('OAUTH_CLIENT_LIMIT_REACHED', { message })
    }
    await insertOAuthClient(transaction, created.client)
    const { id, name } = created.client
    await record({ action: 'oauth-client.created', subjectId: id, details: { name, registered: true } })
    return created
  })
}
