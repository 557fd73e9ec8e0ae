import type { ClientManager } from '../../core/access/access.ts'
import type { Actor } from '../../core/audit/actor.ts'
import { lockManager, ownerOf } from '../../core/client-management/lock-manager.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import { lockOAuthClientForUpdate, updateOAuthClientRow } from '../../core/oauth-clients/store.ts'
import { hashToken, newToken } from '../../platform/crypto/tokens.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { ClientWithSecret } from './new-client.ts'

/** @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN; OAUTH_CLIENT_NOT_FOUND; OAUTH_CLIENT_HAS_NO_SECRET */
export async function rotateClientSecret(
  context: Context,
  actor: Actor,
  manager: ClientManager,
  clientId: string,
): Promise<Required<ClientWithSecret>> {
  const secret = newToken(context)
  const change = { secretHash: hashToken(secret), updatedAt: context.now() }
  return inTransaction(context, actor, async ({ transaction, record }) => {
    const organizationId = await lockManager(transaction, context, manager)
    const { name, secretHash } = await lockOAuthClientForUpdate(transaction, { id: clientId, organizationId })
    if (secretHash === null) throw new ApiError('OAUTH_CLIENT_HAS_NO_SECRET', { field: 'client_id' })
    const client = await updateOAuthClientRow(transaction, clientId, change)
    const event = { subjectId: clientId, ...ownerOf(organizationId), details: { name } }
    await record({ action: 'oauth-client.secret-rotated', ...event })
    return { client, secret }
  })
}
