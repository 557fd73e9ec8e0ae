import type { Kysely } from 'kysely'
import { hashToken, newToken } from '../../platform/crypto/tokens.ts'
import type { KnownDeviceRow, Tables } from '../../platform/database/tables.ts'
import { networksOf } from '../../platform/http/client-address.ts'
import { DAY_MILLISECONDS } from '../../platform/time/time-units.ts'
import type { Context } from '../context.ts'
import { DEVICE_MILLISECONDS, type Device } from './device.ts'
import {
  type DeviceFacts,
  deleteOldestDevices,
  FORMER_DEVICE_TIME,
  isDeviceOfOthers,
  NETWORK_PREFIX,
  renameDevice,
  upsertDevice,
} from './store.ts'

/** A device on which the user has signed in before, or a network in which a password reset was completed. */
export interface KnownDevice {
  device: string
  isNetwork: boolean
  /** Whether all sessions were revoked since. */
  isFormer: boolean
  /** Epoch milliseconds. A rename does not change it. */
  expiresAt: number
}

const NETWORK_MILLISECONDS = DAY_MILLISECONDS

/**
 * Guesses from elsewhere can't lock the user out of a known device. Without `rememberMe`, a new cookie ends with the
 * browser, so it does not replace a cookie of other users. Then guesses can lock the user out of this browser, and each
 * sign-in sends the email.
 * @param facts from a look-up after the lock
 * @returns `isAdditional` if the user has signed in before, but not on this device since all sessions were revoked
 */
export async function rememberDevice(
  transaction: Kysely<Tables>,
  context: Context,
  userId: string,
  { hash, isBrowser, rememberMe }: Device & { rememberMe: boolean },
  { isCurrentDevice, hasDevice, hasMaximumOfDevices }: DeviceFacts,
): Promise<{ newDeviceToken?: string; isAdditional: boolean }> {
  if (isCurrentDevice) return { isAdditional: false }
  const now = context.now()
  // A new token, because an attacker may have planted the old one, or copied that of a former device.
  const token = newToken(context)
  const device = hashToken(token)
  const leavesCookie = !rememberMe && hash !== undefined && (await isDeviceOfOthers(transaction, userId, hash))
  // Without a new cookie, a stored device would match no browser and displace a real one.
  if (leavesCookie && hasDevice) return { isAdditional: true }
  if (hash !== undefined && !leavesCookie) await renameDevice(transaction, { device: hash, newDevice: device })
  const times = { createdAt: now, expiresAt: now + DEVICE_MILLISECONDS }
  const hasLastingCookie = isBrowser && rememberMe
  await upsertDevice(transaction, { userId, device, isBrowser: hasLastingCookie ? 1 : 0, ...times })
  if (hasMaximumOfDevices) await deleteOldestDevices(transaction, { userId, newDevice: device })
  return { ...(!leavesCookie && { newDeviceToken: token }), isAdditional: hasDevice }
}

/**
 * For a day, the network of a password reset counts as a device: a client without cookies has no other device. The next
 * remembered device enforces the maximum.
 */
export async function rememberNetwork(
  transaction: Kysely<Tables>,
  context: Context,
  userId: string,
  ipAddress: string | null,
): Promise<void> {
  const now = context.now()
  const times = { createdAt: now, expiresAt: now + NETWORK_MILLISECONDS }
  await upsertDevice(transaction, { userId, device: networkDevice(ipAddress), isBrowser: 1, ...times })
}

export function listDevicesToFind({ hash }: Device, ipAddress: string | null): string[] {
  const network = networkDevice(ipAddress)
  return hash === undefined ? [network] : [hash, network]
}

/** @returns the known device, else the known network */
export function chooseKnownDevice(knownDevices: KnownDevice[] = [], { hash }: Device): KnownDevice | undefined {
  return knownDevices.find(({ device }) => device === hash) ?? knownDevices[0]
}

export function toKnownDevice({
  device,
  createdAt,
  expiresAt,
}: Pick<KnownDeviceRow, 'device' | 'createdAt' | 'expiresAt'>): KnownDevice {
  return { device, isNetwork: device.startsWith(NETWORK_PREFIX), isFormer: createdAt === FORMER_DEVICE_TIME, expiresAt }
}

/** A hash has no space, so no cookie can stand for a network. */
function networkDevice(ipAddress: string | null): string {
  return `${NETWORK_PREFIX}${networksOf(ipAddress).network}`
}
