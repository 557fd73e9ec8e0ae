import type { UnitOfWork } from '../../../core/in-transaction.ts'
import type { ApiKeyRow } from '../../../platform/database/tables.ts'
import { type Creator, deleteApiKeysCreatedBy, listUsableApiKeysCreatedBy, type UsableApiKey } from './store.ts'

export interface KeysOfLeaver {
  usable: UsableApiKey[]
  revoked: ApiKeyRow[]
}

/** The API keys belong to the organization and stay usable, although the user who leaves may have a copy. */
export async function readKeysOfLeaver({ transaction, context }: UnitOfWork, leaver: Creator): Promise<KeysOfLeaver> {
  return { usable: await listUsableApiKeysCreatedBy(transaction, leaver, context.now()), revoked: [] }
}

export async function revokeKeysOfLeaver(
  { transaction, recordAll }: UnitOfWork,
  leaver: Creator,
): Promise<KeysOfLeaver> {
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
