import { OPERATOR } from '../../core/audit/actor.ts'
import type { AuditEvent } from '../../core/audit/record-event.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import { enableOAuthClients } from '../../core/oauth-clients/store.ts'
import { chunksOf } from '../../platform/database/chunks.ts'
import { CopyError } from '../../platform/database/copy/copy-error.ts'
import { enableApiKeys } from '../organizations/api-keys/store.ts'
import { deleteUnconfirmed, lockUnconfirmedForUpdate, type UnconfirmedCredential } from './unconfirmed-store.ts'

/** Enables credentials that a restore has disabled. @throws CopyError for an unknown id; then nothing is changed */
export function confirmCredentials(context: Context, ids: string[] | 'all'): Promise<UnconfirmedCredential[]> {
  const updatedAt = context.now()
  return inTransaction(context, OPERATOR, async ({ transaction, recordAll }) => {
    const waiting = await lockUnconfirmedForUpdate(transaction)
    const unknown = ids === 'all' ? undefined : ids.find((id) => !waiting.some((credential) => credential.id === id))
    if (unknown !== undefined)
      throw new CopyError(`${unknown} waits for no confirmation: npm run accounts -- restore list shows those that do.`)
    const chosen = waiting.filter(({ id }) => ids === 'all' || ids.includes(id))
    for (const chunk of chunksOf(chosen)) {
      const chosenIds = chunk.map(({ id }) => id)
      await enableApiKeys(transaction, chosenIds, updatedAt)
      await enableOAuthClients(transaction, chosenIds, updatedAt)
      await recordAll(chunk.map(toEvent))
      await deleteUnconfirmed(transaction, chosenIds)
    }
    return chosen
  })
}

function toEvent({ id, kind, name, organizationId }: UnconfirmedCredential): AuditEvent {
  const about = { subjectId: id, ...(organizationId !== null && { organizationId }) }
  const reason = 'confirmed after a restore'
  return kind === 'API key'
    ? { action: 'api-key.updated', ...about, details: { enabled: 1, reason } }
    : { action: 'oauth-client.updated', ...about, details: { name, disabled: 0, reason } }
}
