import { MAINTENANCE } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { NOT_BANNED } from '../../../core/users/banned.ts'
import { hasExpiredBan, lockExpiredBansForUpdate, updateLockedUser } from '../../../core/users/store.ts'
import { inBatches } from '../../../platform/background/in-batches.ts'
import { type PeriodicWork, runPeriodically } from '../../../platform/background/run-periodically.ts'
import { unlessClockIsAhead } from '../../../platform/background/unless-clock-is-ahead.ts'

const PAUSE_MILLISECONDS = 1_000
const USERS_PER_TRANSACTION = 100

/** Runs every second: list-users filters by these columns, so an expired ban must not stay in them. */
export function createBanExpiry(context: Context): PeriodicWork {
  const lift = unlessClockIsAhead(context, (signal) => liftExpiredBans(context, signal))
  return runPeriodically(context, PAUSE_MILLISECONDS, 'expired bans could not be lifted', async (signal) => {
    if (await hasExpiredBan(context.database, context.now())) await lift(signal)
  })
}

/** Sign-in compares the time itself and does not wait for this. */
export async function liftExpiredBans(context: Context, signal?: AbortSignal): Promise<void> {
  await inBatches(async () => {
    return (await hasExpiredBan(context.database, context.now())) && (await liftSomeExpiredBans(context)) > 0
  }, signal)
}

/** @returns the number of users; 0 when other processes have locked the rest */
async function liftSomeExpiredBans(context: Context): Promise<number> {
  const now = context.now()
  return inTransaction(context, MAINTENANCE, async ({ transaction, record }) => {
    const users = await lockExpiredBansForUpdate(transaction, now, USERS_PER_TRANSACTION)
    for (const { id } of users) {
      await updateLockedUser(transaction, id, { ...NOT_BANNED, updatedAt: now })
      await record({ action: 'user.ban-expired', subjectId: id })
    }
    return users.length
  })
}
