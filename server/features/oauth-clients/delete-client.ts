import type { ClientManager } from '../../core/access/access.ts'
import type { Actor } from '../../core/audit/actor.ts'
import { emptyClient, isLargeClient } from '../../core/client-management/empty-client.ts'
import { lockManager, ownerOf } from '../../core/client-management/lock-manager.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import { deleteOAuthClientRow, lockOAuthClientForUpdate } from '../../core/oauth-clients/store.ts'
import { lockSessionsOfClientForUpdate } from '../../core/sessions/lock-sessions.ts'

/**
 * Deletes the rows of a large client in batches first, because one transaction would take longer than a statement may.
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN; OAUTH_CLIENT_NOT_FOUND
 */
export async function deleteClient(
  context: Context,
  actor: Actor,
  manager: ClientManager,
  clientId: string,
): Promise<void> {
  if (await isLargeClient(context.database, clientId)) await emptyClient(context, actor, manager, clientId)
  await inTransaction(context, actor, async ({ transaction, record }) => {
    const organizationId = await lockManager(transaction, context, manager)
    const { name } = await lockOAuthClientForUpdate(transaction, { id: clientId, organizationId })
    // A sign-out locks a session, then deletes its sessions at clients. The other order could deadlock.
    await lockSessionsOfClientForUpdate(transaction, clientId)
    await deleteOAuthClientRow(transaction, clientId)
    const event = { subjectId: clientId, ...ownerOf(organizationId), details: { name } }
    await record({ action: 'oauth-client.deleted', ...event })
  })
}
