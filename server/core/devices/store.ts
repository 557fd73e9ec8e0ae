import type { ExpressionBuilder, Kysely } from 'kysely'
import { compileOnce, RESULT_UNUSED } from '../../platform/database/compile-once.ts'
import { deleteSome } from '../../platform/database/delete-some.ts'
import { hasMoreThan } from '../../platform/database/has-more-than.ts'
import type { KnownDeviceRow, Tables } from '../../platform/database/tables.ts'

/** Marks a device that is known by its network. The other devices are hashes of cookies. */
export const NETWORK_PREFIX = 'network '
/** The `createdAt` of a device on which the user has not signed in since all sessions were revoked. */
export const FORMER_DEVICE_TIME = 0
const DEVICES_MAXIMUM = 20

export interface DeviceFacts {
  /** The user has signed in on the device since all sessions were revoked. */
  isCurrentDevice: boolean
  hasDevice: boolean
  hasMaximumOfDevices: boolean
}

interface DeviceQuestion {
  userId: string
  /** The hash of the cookie; empty without a cookie. */
  device: string
  now: number
}

export function selectDeviceFacts(select: ExpressionBuilder<Tables, never>, { userId, device, now }: DeviceQuestion) {
  const devices = select.selectFrom('knownDevices').select('device').where('userId', '=', userId)
  const current = devices
    .where('device', '=', device)
    .where('createdAt', '>', FORMER_DEVICE_TIME)
    .where('expiresAt', '>', now)
  const any = devices.where('device', 'not like', `${NETWORK_PREFIX}%`)
  return [
    select.exists(current).as('isCurrentDevice'),
    select.exists(any).as('hasDevice'),
    select.exists(devices.limit(1).offset(DEVICES_MAXIMUM - 1)).as('hasMaximumOfDevices'),
  ] as const
}

/** SQLite answers 0 or 1. */
export function toDeviceFacts(row: Record<keyof DeviceFacts, unknown> | undefined): DeviceFacts {
  return {
    isCurrentDevice: Boolean(row?.isCurrentDevice),
    hasDevice: Boolean(row?.hasDevice),
    hasMaximumOfDevices: Boolean(row?.hasMaximumOfDevices),
  }
}

export async function readDeviceFacts(transaction: Kysely<Tables>, question: DeviceQuestion): Promise<DeviceFacts> {
  const row = await transaction.selectNoFrom((select) => selectDeviceFacts(select, question)).executeTakeFirst()
  return toDeviceFacts(row)
}

export function isDeviceOfOthers(transaction: Kysely<Tables>, userId: string, device: string): Promise<boolean> {
  const ofDevice = transaction.selectFrom('knownDevices').select('userId').where('device', '=', device)
  return hasMoreThan(ofDevice.where('userId', '!=', userId), 0)
}

export const upsertDevice = compileOnce((database, row: KnownDeviceRow) => {
  const { isBrowser, createdAt, expiresAt } = row
  return database
    .insertInto('knownDevices')
    .values(row)
    .onConflict((conflict) => conflict.columns(['userId', 'device']).doUpdateSet({ isBrowser, createdAt, expiresAt }))
}, RESULT_UNUSED)

/** Every user of a browser stays known when the browser gets a new cookie. */
export const renameDevice = compileOnce(
  (database, { device, newDevice }: { device: string; newDevice: string }) =>
    database.updateTable('knownDevices').set({ device: newDevice }).where('device', '=', device),
  RESULT_UNUSED,
)

/**
 * A script that signs in every hour must not displace browsers with a lasting cookie. The new device stays: otherwise
 * twenty browsers would leave no place for any other client.
 */
export const deleteOldestDevices = compileOnce(
  (database, { userId, newDevice }: { userId: string; newDevice: string }) =>
    database
      .deleteFrom('knownDevices')
      .where('userId', '=', userId)
      .where('device', '!=', newDevice)
      .where('device', 'not in', (devices) =>
        devices
          .selectFrom('knownDevices')
          .select('device')
          .where('userId', '=', userId)
          .where('device', '!=', newDevice)
          .orderBy('isBrowser', 'desc')
          .orderBy('createdAt', 'desc')
          .limit(DEVICES_MAXIMUM - 1),
      ),
  RESULT_UNUSED,
)

/**
 * The devices stay known, so that guesses from elsewhere can't lock the user out of them. One of them may be an
 * intruder's, so the next sign-in on each sends an email.
 */
export async function markDevicesFormer(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await transaction
    .updateTable('knownDevices')
    .set({ createdAt: FORMER_DEVICE_TIME })
    .where('userId', '=', userId)
    .execute()
}

export async function markAllDevicesFormer(transaction: Kysely<Tables>): Promise<void> {
  await transaction.updateTable('knownDevices').set({ createdAt: FORMER_DEVICE_TIME }).execute()
}

export async function deleteDevicesOfUser(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await transaction.deleteFrom('knownDevices').where('userId', '=', userId).execute()
}

export function deleteExpiredDevices(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const expired = database.selectFrom('knownDevices').select(['userId', 'device']).where('expiresAt', '<=', now)
  return deleteSome(database, 'knownDevices', ['userId', 'device'], expired, limit)
}
