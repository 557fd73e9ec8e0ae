import type { ClientManager } from '../../core/access/access.ts'
import type { Actor } from '../../core/audit/actor.ts'
import { hasMoreClientSessions } from '../../core/client-sessions/store.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import { deleteOAuthClientRow, lockOAuthClientForUpdate, updateOAuthClientRow } from '../../core/oauth-clients/store.ts'
import { deleteSomeConsents, hasMoreConsents } from '../../core/oauth-consents/store.ts'
import { lockSessionsOfClient } from '../../core/sessions/lock-sessions.ts'
import { inTimedBatches } from '../../platform/background/in-batches.ts'
import { lockManager, ownerOf } from './lock-manager.ts'
import { BATCH_SIZE, revokeSessionsOfDisabledClient } from './revoke-sessions.ts'

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
  if (await isLarge(context, clientId)) await emptyClient(context, actor, manager, clientId)
  await inTransaction(context, actor, async ({ transaction, record }) => {
    const organizationId = await lockManager(transaction, context, manager)
    const { name } = await lockOAuthClientForUpdate(transaction, { id: clientId, organizationId })
    // A sign-out locks a session, then deletes its sessions at clients. The other order could deadlock.
    await lockSessionsOfClient(transaction, clientId)
    await deleteOAuthClientRow(transaction, clientId)
    const event = { subjectId: clientId, ...ownerOf(organizationId), details: { name } }
    await record({ action: 'oauth-client.deleted', ...event })
  })
}

async function isLarge({ database }: Context, clientId: string): Promise<boolean> {
  return (
    (await hasMoreClientSessions(database, clientId, BATCH_SIZE)) ||
    (await hasMoreConsents(database, clientId, BATCH_SIZE))
  )
}

/** Disables the client, so that it is refused from now on, and removes its address, because it gets no log-out. */
async function emptyClient(context: Context, actor: Actor, manager: ClientManager, clientId: string): Promise<void> {
  const { database } = context
  await inTransaction(context, actor, async ({ transaction, record }) => {
    const organizationId = await lockManager(transaction, context, manager)
    const { name } = await lockOAuthClientForUpdate(transaction, { id: clientId, organizationId })
    const change = { disabled: 1, backchannelLogoutUri: null }
    await updateOAuthClientRow(transaction, clientId, { ...change, updatedAt: context.now() })
    const details = { name, changed: 'backchannel_logout_uri, disabled', disabled: 1 }
    await record({ action: 'oauth-client.updated', subjectId: clientId, ...ownerOf(organizationId), details })
  })
  await revokeSessionsOfDisabledClient(context, clientId)
  await inTimedBatches(() => deleteSomeConsents(database, clientId, BATCH_SIZE))
}
