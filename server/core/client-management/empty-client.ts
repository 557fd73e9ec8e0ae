import type { Kysely } from 'kysely'
import { inTimedBatches } from '../../platform/background/in-batches.ts'
import { hasMoreThan } from '../../platform/database/has-more-than.ts'
import type { Tables } from '../../platform/database/tables.ts'
import type { AuthorizedMembership, ClientManager } from '../access/access.ts'
import type { Actor } from '../audit/actor.ts'
import { GRANTS_PER_TRANSACTION_MAXIMUM, selectGrantsOfClient } from '../client-sessions/grant-store.ts'
import { selectSessionsAtClient } from '../client-sessions/store.ts'
import type { Context } from '../context.ts'
import { inTransaction } from '../in-transaction.ts'
import { listOAuthClients, lockOAuthClientForUpdate, updateOAuthClientRow } from '../oauth-clients/store.ts'
import { deleteSomeConsents, selectConsentsToClient } from '../oauth-consents/store.ts'
import { lockManager, ownerOf } from './lock-manager.ts'
import { CLIENT_BATCH_SIZE, revokeSessionsOfDisabledClient } from './revoke-sessions.ts'

/** Whether a client has more rows than one transaction should delete. */
export async function isLargeClient(database: Kysely<Tables>, clientId: string): Promise<boolean> {
  return (
    (await hasMoreThan(selectSessionsAtClient(database, clientId), CLIENT_BATCH_SIZE)) ||
    (await hasMoreThan(selectGrantsOfClient(database, clientId), GRANTS_PER_TRANSACTION_MAXIMUM)) ||
    (await hasMoreThan(selectConsentsToClient(database, clientId), CLIENT_BATCH_SIZE))
  )
}

/** The log-out address is removed first, because a deleted client gets no log-outs. */
export async function emptyClient(
  context: Context,
  actor: Actor,
  manager: ClientManager,
  clientId: string,
): Promise<void> {
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
  await inTimedBatches(CLIENT_BATCH_SIZE, (limit) => deleteSomeConsents(database, clientId, limit))
}

export async function hasLargeClient(database: Kysely<Tables>, organizationId: string): Promise<boolean> {
  return (await listLargeClients(database, organizationId)).length > 0
}

export async function emptyLargeClients(context: Context, actor: Actor, owner: AuthorizedMembership): Promise<void> {
  for (const id of await listLargeClients(context.database, owner.organization.id))
    await emptyClient(context, actor, owner, id)
}

async function listLargeClients(database: Kysely<Tables>, organizationId: string): Promise<string[]> {
  const large: string[] = []
  for (const { id } of await listOAuthClients(database, organizationId))
    if (await isLargeClient(database, id)) large.push(id)
  return large
}
