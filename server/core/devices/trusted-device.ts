import type { Kysely } from 'kysely'
import { hashToken, newId, newToken } from '../../platform/crypto/tokens.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { isLive } from '../../platform/time/is-live.ts'
import { DAY_MILLISECONDS } from '../../platform/time/time-units.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import {
  deleteOldestTrustedDevices,
  deleteTrustedDeviceOfToken,
  findTrustedDevice,
  insertTrustedDevice,
  saveTrustedDeviceUse,
} from './trusted-store.ts'

/** From the sign-in; a later use does not extend it. */
export const TRUST_MILLISECONDS = 30 * DAY_MILLISECONDS
const TRUSTED_DEVICES_MAXIMUM = 20

/**
 * Stores that a device is not asked for the second step of a user. A device has one token, so the former one is deleted.
 * @returns the new token
 */
export async function trustDevice(
  { transaction, context, actor, record }: UnitOfWork,
  userId: string,
  formerToken: string | undefined,
): Promise<string> {
  const now = context.now()
  if (formerToken !== undefined) await deleteTrustedDeviceOfToken(transaction, hashToken(formerToken))
  const token = newToken(context)
  const id = newId('tru', context)
  const { ipAddress, userAgent } = actor
  const times = { createdAt: now, expiresAt: now + TRUST_MILLISECONDS, lastUsedAt: null }
  await insertTrustedDevice(transaction, { id, userId, tokenHash: hashToken(token), ...times, ipAddress, userAgent })
  await deleteOldestTrustedDevices(transaction, userId, TRUSTED_DEVICES_MAXIMUM)
  await record({ action: 'trusted-device.added', subjectId: userId, details: { deviceId: id } })
  return token
}

/**
 * Verifies the tokens of trusted devices, and writes the use.
 * @returns whether one of the tokens trusts the device for this user
 */
export async function verifyTrustedDevice(
  transaction: Kysely<Tables>,
  now: number,
  userId: string,
  tokens: string[],
): Promise<boolean> {
  for (const token of tokens) {
    const device = await findTrustedDevice(transaction, now, userId, hashToken(token))
    if (!device || !isLive(device.expiresAt, TRUST_MILLISECONDS, now)) continue
    await saveTrustedDeviceUse(transaction, device.id, now)
    return true
  }
  return false
}
