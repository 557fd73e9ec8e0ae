import type { Kysely } from 'kysely'
import { compileOnce, UNREAD } from '../../platform/database/compile-once.ts'
import type { KnownDeviceRow, Tables } from '../../platform/database/tables.ts'

/** Marks a device that is known by its network. The other devices are hashes of cookies. */
export const NETWORK_PREFIX = 'network '

const selectDevice = compileOnce((database, { userId }: { userId: string }) =>
  database
    .selectFrom('knownDevices')
    .select('device')
    .where('userId', '=', userId)
    .where('device', 'not like', `${NETWORK_PREFIX}%`)
    .limit(1),
)

/** Whether the user has signed in on any device before. */
export async function hasDevice(transaction: Kysely<Tables>, userId: string): Promise<boolean> {
  return (await selectDevice(transaction, { userId })).length > 0
}

const selectKnownDevice = compileOnce(
  (database, { userId, device, now }: { userId: string; device: string; now: number }) =>
    database
      .selectFrom('knownDevices')
      .select('device')
      .where('userId', '=', userId)
      .where('device', '=', device)
      .where('expiresAt', '>', now),
)

export async function isKnownDevice(
  database: Kysely<Tables>,
  device: { userId: string; device: string; now: number },
): Promise<boolean> {
  return (await selectKnownDevice(database, device)).length > 0
}

export const upsertDevice = compileOnce((database, row: KnownDeviceRow) => {
  const { createdAt, expiresAt } = row
  return database
    .insertInto('knownDevices')
    .values(row)
    .onConflict((conflict) => conflict.columns(['userId', 'device']).doUpdateSet({ createdAt, expiresAt }))
}, UNREAD)

/** Every user of a browser stays known when the browser gets a new cookie. */
export const renameDevice = compileOnce(
  (database, { device, newDevice }: { device: string; newDevice: string }) =>
    database.updateTable('knownDevices').set({ device: newDevice }).where('device', '=', device),
  UNREAD,
)

/** Other clients are deleted before browsers: a script that signs in every hour must not displace them. */
export const deleteOldestDevices = compileOnce(
  (database, { userId, maximum }: { userId: string; maximum: number }) =>
    database
      .deleteFrom('knownDevices')
      .where('userId', '=', userId)
      .where('device', 'not in', (devices) =>
        devices
          .selectFrom('knownDevices')
          .select('device')
          .where('userId', '=', userId)
          .orderBy('isBrowser', 'desc')
          .orderBy('createdAt', 'desc')
          .limit(maximum),
      ),
  UNREAD,
)

export async function deleteDevicesOfUser(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await transaction.deleteFrom('knownDevices').where('userId', '=', userId).execute()
}

/** @returns the number of deleted devices */
export async function deleteExpiredDevices(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('knownDevices')
    .where((where) =>
      where(
        where.refTuple('userId', 'device'),
        'in',
        where
          .selectFrom('knownDevices')
          .select(['userId', 'device'])
          .where('expiresAt', '<=', now)
          .limit(limit)
          .forUpdate()
          .skipLocked()
          .$asTuple('userId', 'device'),
      ),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
