import { writeIfPossible } from '../../platform/database/write-if-possible.ts'
import { HOUR_MILLISECONDS } from '../../platform/time/time-units.ts'
import type { Membership } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import type { Context } from '../context.ts'
import { updateMemberUse } from './store.ts'

/** The last use is written once in this time, so that most requests only read. */
const LAST_USE_MILLISECONDS = HOUR_MILLISECONDS

/** Updates the last use of an organization by its member. An impersonator is not the member. */
export async function saveLastUse(context: Context, { session }: Caller, { member }: Membership): Promise<void> {
  const now = context.now()
  const isRecent = member.lastUsedAt !== null && now - member.lastUsedAt < LAST_USE_MILLISECONDS
  if (isRecent || session.impersonatedBy !== null) return
  await writeIfPossible(context, () => updateMemberUse(context.database, member, now))
}
