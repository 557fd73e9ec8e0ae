import { MAINTENANCE } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { hasExpiredBan, lockExpiredBans, updateLockedUser } from '../../../core/users/store.ts'
import { type RepeatedWork, repeat } from '../../../platform/background/run-periodically.ts'

const PAUSE_MILLISECONDS = 1_000
const USERS_AT_ONCE = 100

/** Every second, so that lists, which look at the columns, are right a moment after a ban is over. */
export function createBanExpiry(context: Context): RepeatedWork {
  return repeat(context, PAUSE_MILLISECONDS, 'expired bans could not be ended', () => endExpiredBans(context))
}

/** Ends bans whose time is over, each with its audit event. Users can sign in from that moment on, whenever this runs. */
export async function endExpiredBans(context: Context): Promise<void> {
  while (await hasExpiredBan(context.database, context.now())) {
    if ((await endSomeExpiredBans(context)) === 0) return
  }
}

async function endSomeExpiredBans(context: Context): Promise<number> {
  const now = context.now()
  return inTransaction(context, MAINTENANCE, async (unit) => {
    const { transaction } = unit
    const users = await lockExpiredBans(transaction, now, USERS_AT_ONCE)
    for (const { id } of users) {
      await updateLockedUser(transaction, id, { banned: 0, banReason: null, banExpires: null })
      await unit.record({ action: 'user.ban-expired', subjectId: id })
    }
    return users.length
  })
}
