import type { Kysely } from 'kysely'
import { hashToken, newToken } from '../../platform/crypto/tokens.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { networksOf } from '../../platform/http/client-address.ts'
import type { Context } from '../context.ts'
import { DEVICE_MILLISECONDS, type Device } from './device.ts'
import { deleteOldestDevices, listKnownDevices, renameDevice, upsertDevice } from './store.ts'

const DEVICES_MAXIMUM = 20
const NETWORK_MILLISECONDS = 24 * 60 * 60_000

/**
 * Stores that the user has signed in on this device, so that guesses from elsewhere can't lock them out of it.
 * @returns the token for the device's cookie; undefined where its cookie is good for this user already
 */
export async function rememberDevice(
  transaction: Kysely<Tables>,
  context: Context,
  userId: string,
  { hash, isBrowser }: Device,
): Promise<string | undefined> {
  const now = context.now()
  if (hash !== undefined && (await listKnownDevices(transaction, now, userId, [hash])).length > 0) return undefined
  // A new token for every new user of a browser: the former one may have been planted by an attacker, who knows it.
  const token = newToken(context)
  const device = hashToken(token)
  if (hash !== undefined) await renameDevice(transaction, hash, device)
  const times = { createdAt: now, expiresAt: now + DEVICE_MILLISECONDS }
  await upsertDevice(transaction, { userId, device, isBrowser: isBrowser ? 1 : 0, ...times })
  await deleteOldestDevices(transaction, userId, DEVICES_MAXIMUM)
  return token
}

/** For a client without cookies that has completed a password reset: for a day its network counts as a device. */
export async function rememberNetwork(
  transaction: Kysely<Tables>,
  context: Context,
  userId: string,
  ipAddress: string | null,
): Promise<void> {
  const now = context.now()
  const times = { createdAt: now, expiresAt: now + NETWORK_MILLISECONDS }
  await upsertDevice(transaction, { userId, device: networkDevice(ipAddress), isBrowser: 1, ...times })
  await deleteOldestDevices(transaction, userId, DEVICES_MAXIMUM)
}

/**
 * @param userId undefined for an unknown address, which takes the same steps
 * @returns the device that the user is known by, else the network; undefined for a stranger
 */
export async function findKnownDevice(
  { database, now }: Context,
  userId: string | undefined,
  { hash }: Device,
  ipAddress: string | null,
): Promise<string | undefined> {
  const network = networkDevice(ipAddress)
  const known = await listKnownDevices(database, now(), userId ?? '', hash === undefined ? [network] : [hash, network])
  return known.find((device) => device === hash) ?? known[0]
}

/** Has a space, which no hash has: a made-up cookie can't pass for a network. */
function networkDevice(ipAddress: string | null): string {
  return `network ${networksOf(ipAddress).network}`
}
