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
  { transaction, context, recordAll }: UnitOfWork,
  leaver: Creator,
  revoke: boolean,
): Promise<KeysOfLeaver> {
  if (!revoke) return { usable: await listUsableApiKeysCreatedBy(transaction, leaver, context.now()), revoked: [] }
  const revoked = await deleteApiKeysCreatedBy(transaction, leaver)
  await recordAll(
    revoked.map(({ id, organizationId, name, role }) => ({
      action: 'api-key.deleted',
      subjectId: id,
      organizationId,
      details: { name, role },
    })),
  )
  return { usable: [], revoked }
}
