import type { Static } from 'typebox'
import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { deleteTrustedDevice, listTrustedDevices } from '../../../core/devices/trusted-store.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { toIso, toIsoOrNull } from '../../../platform/http/time.ts'
import type { TrustedDevices } from './schemas.ts'

/** @param trustToken of the device that sends the request */
export async function listOwnTrustedDevices(
  { database, now }: Context,
  { user }: Caller,
  trustToken: string | undefined,
): Promise<Static<typeof TrustedDevices>> {
  const devices = await listTrustedDevices(database, user.id, now())
  const ownHash = trustToken === undefined ? undefined : hashToken(trustToken)
  return devices.map(({ id, createdAt, expiresAt, lastUsedAt, ipAddress, userAgent, tokenHash }) => ({
    id,
    createdAt: toIso(createdAt),
    expiresAt: toIso(expiresAt),
    lastUsedAt: toIsoOrNull(lastUsedAt),
    ipAddress,
    userAgent,
    isCurrent: tokenHash === ownHash,
  }))
}

/** @throws ApiError TRUSTED_DEVICE_NOT_FOUND, also for a device of another user */
export async function revokeTrustedDevice(context: Context, actor: Actor, { user }: Caller, id: string): Promise<void> {
  await inTransaction(context, actor, async ({ transaction, record }) => {
    if (!(await deleteTrustedDevice(transaction, user.id, id)))
      throw new ApiError('TRUSTED_DEVICE_NOT_FOUND', { field: 'id' })
    await record({ action: 'trusted-device.revoked', subjectId: user.id, details: { deviceId: id } })
  })
}
