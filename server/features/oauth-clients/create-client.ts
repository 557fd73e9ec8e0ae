import type { ClientManager } from '../../core/access/access.ts'
import type { Actor } from '../../core/audit/actor.ts'
import { lockManager, organizationIdOf, ownerOf, userIdOf } from '../../core/client-management/lock-manager.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import { countOAuthClients, insertOAuthClient } from '../../core/oauth-clients/store.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { ClientMetadataInput } from './metadata-fields.ts'
import { type ClientWithSecret, newOAuthClient } from './new-client.ts'
import { parseClientMetadata } from './parse-metadata.ts'

const CLIENTS_PER_ORGANIZATION_MAXIMUM = 100

/**
 * Better Auth #9635 forgot to authorize the manager of a new client.
 * @throws ApiError FIELD_NOT_ALLOWED; INVALID_REDIRECT_URI; INVALID_CLIENT_METADATA; ORGANIZATION_NOT_FOUND; FORBIDDEN;
 *   OAUTH_CLIENT_LIMIT_REACHED
 */
export async function createClient(
  context: Context,
  actor: Actor,
  manager: ClientManager,
  { metadata, skipConsent }: { metadata: ClientMetadataInput; skipConsent: boolean },
): Promise<ClientWithSecret> {
  if (skipConsent) assertMaySkipConsent(manager, 'skip_consent')
  const organizationId = organizationIdOf(manager)
  const owner = { organizationId, skipConsent, createdBy: userIdOf(manager) }
  const created = newOAuthClient(context, parseClientMetadata(context.config, metadata), owner)
  const { id, name } = created.client
  return inTransaction(context, actor, async ({ transaction, record }) => {
    await lockManager(transaction, context, manager)
    if (organizationId !== null) {
      const count = await countOAuthClients(transaction, { organizationId })
      if (count >= CLIENTS_PER_ORGANIZATION_MAXIMUM) throw new ApiError('OAUTH_CLIENT_LIMIT_REACHED')
    }
    await insertOAuthClient(transaction, created.client)
    const details = { name, skipConsent }
    await record({ action: 'oauth-client.created', subjectId: id, ...ownerOf(organizationId), details })
    return created
  })
}

/** Users must consent to the clients of organizations. @throws ApiError FIELD_NOT_ALLOWED */
export function assertMaySkipConsent(manager: ClientManager, field: string): void {
  if (!('organization' in manager)) return
  const message = 'Only administrators can let an app of the service skip the consent of users.'
  throw new ApiError('FIELD_NOT_ALLOWED', { field, message })
}
