import { type Actor, MAINTENANCE } from '../../core/audit/actor.ts'
import { recordEvent } from '../../core/audit/record-event.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../core/in-transaction.ts'
import type { RateLimits } from '../../core/limits/rate-limits.ts'
import type { ClientMetadata } from '../../core/oauth-clients/metadata.ts'
import { isNativeRedirectUri } from '../../core/oauth-clients/redirect-uris.ts'
import {
  countOAuthClients,
  deleteOAuthClientWithoutConsent,
  insertOAuthClient,
  lockUnusedOAuthClientForUpdate,
} from '../../core/oauth-clients/store.ts'
import { lockForTransaction } from '../../platform/database/advisory-lock.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { DAY_MILLISECONDS } from '../../platform/time/time-units.ts'
import { assertHasUsers } from './assert-has-users.ts'
import type { ClientMetadataInput } from './metadata-fields.ts'
import { type ClientWithSecret, newOAuthClient } from './new-client.ts'
import { parseClientMetadata } from './parse-metadata.ts'

const REGISTERED_CLIENTS_MAXIMUM = 1_000
/** Administrators list all clients of the service in one response, also after a flood of registrations. */
const METADATA_BYTES_MAXIMUM = 8 * 1024
/** The first user of a new client needs time to sign in. */
const UNUSED_MILLISECONDS_MINIMUM = DAY_MILLISECONDS

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
  // Contacts are email addresses that nothing needs. RFC 7591, section 3.2.1 allows the service to leave them out.
  const { contacts: _, ...metadata } = parseClientMetadata(context.config, withApplicationType(input))
  assertHasUsers(metadata)
  assertIsSmall(metadata)
  await rateLimits.chargeRegistration(actor.ipAddress)
  const created = newOAuthClient(context, metadata, { organizationId: null, createdBy: null })
  return inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    // Concurrent registrations would all count the clients before the others are inserted.
    await lockForTransaction(transaction, 'client registration')
    const isFull = (await countOAuthClients(transaction, 'registered')) >= REGISTERED_CLIENTS_MAXIMUM
    if (isFull && !(await deleteOneUnusedClient(unit))) {
      const message = 'The maximum number of apps has registered itself here. Ask an administrator.'
      throw new ApiError('OAUTH_CLIENT_LIMIT_REACHED', { message })
    }
    await insertOAuthClient(transaction, created.client)
    const { id, name } = created.client
    await record({ action: 'oauth-client.created', subjectId: id, details: { name, registered: true } })
    return created
  })
}

function assertIsSmall(metadata: ClientMetadata): void {
  if (Buffer.byteLength(JSON.stringify(metadata)) <= METADATA_BYTES_MAXIMUM) return
  const message = 'The metadata of an app that registers itself may have 8 KiB at most. Send fewer or shorter values.'
  throw new ApiError('INVALID_CLIENT_METADATA', { message })
}

/**
 * Strangers, and clients that register at each start, must not use up the maximum. Ten users together can, because each
 * may allow 100 clients: then an administrator deletes some.
 */
async function deleteOneUnusedClient({ transaction, context }: UnitOfWork): Promise<boolean> {
  const client = await lockUnusedOAuthClientForUpdate(transaction, context.now() - UNUSED_MILLISECONDS_MINIMUM)
  if (!client || !(await deleteOAuthClientWithoutConsent(transaction, client.id))) return false
  const event = { subjectId: client.id, details: { name: client.name, registered: true } }
  // The caller did not request this deletion.
  await recordEvent(transaction, context, MAINTENANCE, { action: 'oauth-client.deleted', ...event })
  return true
}

/** MCP clients send no type, and oidc-agent sends `web`. The service may replace it (RFC 7591, section 3.2.1). */
function withApplicationType(input: ClientMetadataInput): ClientMetadataInput {
  return (input.redirect_uris ?? []).some(isNativeRedirectUri) ? { ...input, application_type: 'native' } : input
}
