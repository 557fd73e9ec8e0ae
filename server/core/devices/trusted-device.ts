import type { Kysely } from 'kysely'
import { hashToken, newId, newToken } from '../../platform/crypto/tokens.ts'
import type { Tables } from '../../platform/database/tables.ts'
import type { Actor } from '../audit/actor.ts'
import { createUnit, type UnitOfWork } from '../in-transaction.ts'
import {
  type DeletedTrustedDevice,
  deleteOldestTrustedDevices,
  deleteTrustedDeviceOfToken,
  deleteTrustedDevicesOfUser,
  insertTrustedDevice,
  TRUST_MILLISECONDS,
  updateTrustedDeviceUse,
} from './trusted-store.ts'

const TRUSTED_DEVICES_MAXIMUM = 20

/** A device has one token: the former token is deleted, also if it belongs to another user of the browser. */
export async function trustDevice(unit: UnitOfWork, userId: string, formerToken: string | undefined): Promise<string> {
  const { transaction, context, actor, record } = unit
  const now = context.now()
  const replaced =
    formerToken === undefined ? [] : await deleteTrustedDeviceOfToken(transaction, hashToken(formerToken))
  const token = newToken(context)
  const id = newId('tru', context)
  const { ipAddress, userAgent } = actor
  const times = { createdAt: now, expiresAt: now + TRUST_MILLISECONDS, lastUsedAt: null }
  await insertTrustedDevice(transaction, { id, userId, tokenHash: hashToken(token), ...times, ipAddress, userAgent })
  const oldest = await deleteOldestTrustedDevices(transaction, userId, { maximum: TRUSTED_DEVICES_MAXIMUM, now })
  const isOwn = (device: DeletedTrustedDevice) => device.userId === userId
  await recordRevoked(unit, [...replaced.filter(isOwn), ...oldest])
  await recordRevoked(
    createUnit(transaction, context, withoutIdentity(actor)),
    replaced.filter((device) => !isOwn(device)),
  )
  await record({ action: 'trusted-device.added', subjectId: userId, details: { deviceId: id } })
  return token
}

/** The other user of a browser sees the event, and must not learn who shares it. Both events have the id of the request. */
function withoutIdentity(actor: Actor): Actor {
  return { ...actor, actorId: null, impersonatedBy: null, ipAddress: null, userAgent: null }
}

function recordRevoked({ recordAll }: UnitOfWork, devices: DeletedTrustedDevice[]): Promise<void> {
  return recordAll(
    devices.map(({ id, userId }) => ({
      action: 'trusted-device.revoked',
      subjectId: userId,
      details: { deviceId: id },
    })),
  )
}

export async function revokeTrustedDevices({ transaction, record }: UnitOfWork, userId: string): Promise<void> {
  const count = await deleteTrustedDevicesOfUser(transaction, userId)
  if (count > 0) await record({ action: 'trusted-device.revoked', subjectId: userId, details: { count } })
}

export async function verifyTrustedDevice(
  transaction: Kysely<Tables>,
  now: number,
  userId: string,
  tokens: string[],
): Promise<boolean> {
  for (const token of tokens) if (await updateTrustedDeviceUse(transaction, now, userId, hashToken(token))) return true
  return false
}
