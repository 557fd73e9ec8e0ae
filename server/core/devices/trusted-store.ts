import type { Kysely } from 'kysely'
import { deleteSome } from '../../platform/database/delete-some.ts'
import { isLiveRow } from '../../platform/database/is-live-row.ts'
import type { Tables, TrustedDeviceRow } from '../../platform/database/tables.ts'
import { DAY_MILLISECONDS } from '../../platform/time/time-units.ts'

/** A use of the device does not extend this time. */
export const TRUST_MILLISECONDS = 30 * DAY_MILLISECONDS

export async function insertTrustedDevice(transaction: Kysely<Tables>, row: TrustedDeviceRow): Promise<void> {
  await transaction.insertInto('trustedDevices').values(row).execute()
}

/** One statement decides, because the device may be revoked concurrently. @returns false without a trusted device */
export async function updateTrustedDeviceUse(
  transaction: Kysely<Tables>,
  now: number,
  userId: string,
  tokenHash: string,
): Promise<boolean> {
  const used = await transaction
    .updateTable('trustedDevices')
    .set({ lastUsedAt: now })
    .where('tokenHash', '=', tokenHash)
    .where('userId', '=', userId)
    .where(isLiveRow(TRUST_MILLISECONDS, now))
    .returning('id')
    .executeTakeFirst()
  return used !== undefined
}

export function listTrustedDevices(database: Kysely<Tables>, userId: string, now: number): Promise<TrustedDeviceRow[]> {
  return database
    .selectFrom('trustedDevices')
    .selectAll()
    .where('userId', '=', userId)
    .where(isLiveRow(TRUST_MILLISECONDS, now))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export async function deleteTrustedDevice(transaction: Kysely<Tables>, userId: string, id: string): Promise<boolean> {
  const deleted = await transaction
    .deleteFrom('trustedDevices')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

export type DeletedTrustedDevice = Pick<TrustedDeviceRow, 'id' | 'userId'>

export function deleteTrustedDeviceOfToken(
  transaction: Kysely<Tables>,
  tokenHash: string,
): Promise<DeletedTrustedDevice[]> {
  return transaction
    .deleteFrom('trustedDevices')
    .where('tokenHash', '=', tokenHash)
    .returning(['id', 'userId'])
    .execute()
}

/** Deletes all but the newest devices. Devices of a clock that was ahead are newer, but are not trusted. */
export function deleteOldestTrustedDevices(
  transaction: Kysely<Tables>,
  userId: string,
  { maximum, now }: { maximum: number; now: number },
): Promise<DeletedTrustedDevice[]> {
  return transaction
    .deleteFrom('trustedDevices')
    .where('userId', '=', userId)
    .where('id', 'not in', (devices) =>
      devices
        .selectFrom('trustedDevices')
        .select('id')
        .where('userId', '=', userId)
        .where(isLiveRow(TRUST_MILLISECONDS, now))
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .limit(maximum),
    )
    .returning(['id', 'userId'])
    .execute()
}

export async function deleteTrustedDevicesOfUser(transaction: Kysely<Tables>, userId: string): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom('trustedDevices')
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export function deleteExpiredTrustedDevices(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const devices = database.selectFrom('trustedDevices').select('id').where('expiresAt', '<=', now)
  return deleteSome(database, 'trustedDevices', 'id', devices, limit)
}

export async function deleteAllTrustedDevices(transaction: Kysely<Tables>): Promise<number> {
  const { numDeletedRows } = await transaction.deleteFrom('trustedDevices').executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
