import type { UnitOfWork } from '../../../core/in-transaction.ts'
import type { ApiKeyRow } from '../../../platform/database/tables.ts'
import { deleteApiKeysCreatedBy, findUsableApiKeysCreatedBy } from './store.ts'

/** The API keys that a user created: of one organization, or (undefined) of all. */
interface Leaver {
  userId: string
  organizationId?: string
}

export interface KeysOfLeaver {
  /** API keys that still work. */
  usable: ApiKeyRow[]
  revoked: ApiKeyRow[]
}

/**
 * The API keys that a leaving user created. An API key belongs to its organization, so it goes on unless it is revoked here:
 * the user may have kept a copy.
 */
export async function settleKeysOfLeaver(unit: UnitOfWork, leaver: Leaver, revoke: boolean): Promise<KeysOfLeaver> {
  const { transaction, context } = unit
  if (!revoke) return { usable: await findUsableApiKeysCreatedBy(transaction, leaver, context.now()), revoked: [] }
  const revoked = await deleteApiKeysCreatedBy(transaction, leaver)
  for (const { id, organizationId, name, role } of revoked) {
    const event = { action: 'api-key.deleted', subjectId: id, organizationId, details: { name, role } } as const
    await unit.record(event)
  }
  return { usable: [], revoked }
}
