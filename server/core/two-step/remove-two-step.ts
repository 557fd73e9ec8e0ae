import { revokeTrustedDevices } from '../devices/trusted-device.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { revokeTokens } from '../single-use-tokens/single-use-tokens.ts'
import { updateLockedUser } from '../users/store.ts'
import { deleteFailures, deleteSecondSteps } from './store.ts'

/** For a locked user. Deletes pending setups, too. */
export async function removeTwoStep(unit: UnitOfWork, userId: string): Promise<void> {
  const { transaction, context } = unit
  await deleteSecondSteps(transaction, userId)
  await deleteFailures(transaction, userId)
  await revokeTrustedDevices(unit, userId)
  await revokeTokens(transaction, userId, ['second step'])
  await updateLockedUser(transaction, userId, { twoFactorEnabled: 0, updatedAt: context.now() })
}
