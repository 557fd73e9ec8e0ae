import { OPERATOR } from '../../core/audit/actor.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import { updateOAuthClientRow } from '../../core/oauth-clients/store.ts'
import { CopyError } from '../../platform/database/copy/copy-error.ts'
import { updateApiKeyRow } from '../organizations/api-keys/store.ts'
import { deleteUnconfirmed, lockUnconfirmedForUpdate, type UnconfirmedCredential } from './unconfirmed-store.ts'

/**
 * Enables credentials that a restore has disabled.
 * @param ids 'all', or those of `listUnconfirmed`
 * @throws CopyError for an unknown id; then nothing is changed
 */
export function confirmCredentials(context: Context, ids: string[] | 'all'): Promise<UnconfirmedCredential[]> {
  const updatedAt = context.now()
  return inTransaction(context, OPERATOR, async ({ transaction, record }) => {
    const waiting = await lockUnconfirmedForUpdate(transaction)
    const unknown = ids === 'all' ? undefined : ids.find((id) => !waiting.some((credential) => credential.id === id))
    if (unknown !== undefined)
      throw new CopyError(`${unknown} waits for no confirmation: npm run accounts -- restore list shows those that do.`)
    const chosen = waiting.filter(({ id }) => ids === 'all' || ids.includes(id))
    for (const { id, kind, name, organizationId } of chosen) {
      const about = { subjectId: id, ...(organizationId !== null && { organizationId }) }
      if (kind === 'API key') {
        await updateApiKeyRow(transaction, id, { enabled: 1, updatedAt })
        await record({
          action: 'api-key.updated',
          ...about,
          details: { enabled: 1, reason: 'confirmed after a restore' },
        })
      } else {
        await updateOAuthClientRow(transaction, id, { disabled: 0, updatedAt })
        const details = { name, disabled: 0, reason: 'confirmed after a restore' }
        await record({ action: 'oauth-client.updated', ...about, details })
      }
      await deleteUnconfirmed(transaction, id)
    }
    return chosen
  })
}
