import type { UnitOfWork } from '../../../core/in-transaction.ts'
import type { ApiKeyRow } from '../../../platform/database/tables.ts'
import { type Creator, deleteApiKeysCreatedBy, listUsableApiKeysCreatedBy } from './store.ts'

export interface KeysOfLeaver {
  usable: ApiKeyRow[]
  revoked: ApiKeyRow[]
}

/**
 * Lists or revokes the API keys that a leaving user created. They belong to the organization and stay usable unless they
 * are revoked here; the user may have a copy.
 */
export async function listOrRevokeKeysOfLeaver(
  { transaction, context, record }: UnitOfWork,
  leaver: Creator,
  revoke: boolean,
): Promise<KeysOfLeaver> {
  if (!revoke) return { usable: await listUsableApiKeysCreatedBy(transaction, leaver, context.now()), revoked: [] }
  const revoked = await deleteApiKeysCreatedBy(transaction, leaver)
  for (const { id, organizationId, name, role } of revoked)
    await record({ action: 'api-key.deleted', subjectId: id, organizationId, details: { name, role } })
  return { usable: [], revoked }
}
