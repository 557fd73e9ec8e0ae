import type { Kysely } from 'kysely'
import { hashToken, newToken } from '../../platform/crypto/tokens.ts'
import type { Tables } from '../../platform/database/tables.ts'
import type { Context } from '../context.ts'
import { DEVICE_MILLISECONDS, type Device } from './device.ts'
import { deleteOldestDevices, hasDevice, isCurrentDevice, renameDevice, upsertDevice } from './store.ts'

const DEVICES_MAXIMUM = 20

/**
 * Stores that the user has signed in on this device, so that guesses from elsewhere can't lock the user out.
 * @returns `newDeviceToken`: the value of a new device cookie, if the device has no valid one; `isAdditional`: the user has
 *   signed in before, but not on this device since all sessions were revoked
 */
export async function rememberDevice(
  transaction: Kysely<Tables>,
  context: Context,
  userId: string,
  { hash, isBrowser }: Device,
): Promise<{ newDeviceToken?: string; isAdditional: boolean }> {
  const now = context.now()
  if (hash !== undefined && (await isCurrentDevice(transaction, { userId, device: hash, now })))
    return { isAdditional: false }
  const isAdditional = await hasDevice(transaction, userId)
  // Every new user of a browser gets a new token, because an attacker may have planted the old one. A former device gets
  // one too, because an intruder may have copied it.
  const token = newToken(context)
  const device = hashToken(token)
  if (hash !== undefined) await renameDevice(transaction, { device: hash, newDevice: device })
  const times = { createdAt: now, expiresAt: now + DEVICE_MILLISECONDS }
  await upsertDevice(transaction, { userId, device, isBrowser: isBrowser ? 1 : 0, ...times })
  await deleteOldestDevices(transaction, { userId, maximum: DEVICES_MAXIMUM })
  return { newDeviceToken: token, isAdditional }
}
