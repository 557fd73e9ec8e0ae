import type { Kysely } from 'kysely'
import { listRecordedEvents } from '../../../core/audit/list-events.ts'
import type { Context } from '../../../core/context.ts'
import { budgetOfAccount } from '../../../core/credentials/password-budgets.ts'
import { parseThrottleKey, type ThrottleKey } from '../../../core/limits/throttles.ts'
import { listSessionUserIds } from '../../../core/sessions/store.ts'
import { listUsersById } from '../../../core/users/find-user.ts'
import type { Tables, UserRow } from '../../../platform/database/tables.ts'
import { MINUTE_MILLISECONDS } from '../../../platform/time/time-units.ts'

/** The failed sign-ins whose users are compared with the hashes in keys. Each window of a password limit is shorter. */
const FAILURES_MAXIMUM = 1_000
const FAILURES_MILLISECONDS = 30 * MINUTE_MILLISECONDS

type ThrottledUser = Pick<UserRow, 'id' | 'email'>

/** @returns a function that returns the user of a key; undefined for a network, and for an unknown or deleted user */
export async function readThrottledUsers(
  { slowReads, config, now }: Context,
  keys: string[],
): Promise<(key: string) => ThrottledUser | undefined> {
  const all = keys.flatMap((key) => parseThrottleKey(key) ?? [])
  const idsOf = (...holders: ThrottleKey['holder'][]) =>
    all.filter(({ holder }) => holders.includes(holder)).map(({ id }) => userOrSessionOf(id))
  const sessions = await listSessionUserIds(slowReads, idsOf('session'))
  const failed = idsOf('account').length > 0 ? await listFailedUserIds(slowReads, now()) : []
  const users = await listUsersById(slowReads, [
    ...idsOf('user', 'device'),
    ...failed,
    ...sessions.map(({ userId }) => userId),
  ])
  const byId = new Map(users.map((user) => [user.id, user]))
  const bySession = new Map(sessions.map(({ id, userId }) => [id, byId.get(userId)]))
  // The key of an account has only a hash of the email address, so it is compared with the users of recent failures.
  const byAccountKey = new Map(users.map((user) => [budgetOfAccount(config, user.email).key, user]))
  return (key) => {
    const { holder, id = '' } = parseThrottleKey(key) ?? {}
    if (holder === 'account') return byAccountKey.get(key)
    if (holder === 'session') return bySession.get(id)
    return holder === 'user' || holder === 'device' ? byId.get(userOrSessionOf(id)) : undefined
  }
}

/** The id of a device begins with the id of its user. */
function userOrSessionOf(id: string): string {
  return id.split(' ')[0] ?? ''
}

async function listFailedUserIds(database: Kysely<Tables>, now: number): Promise<string[]> {
  const filter = { action: 'sign-in.failed', from: now - FAILURES_MILLISECONDS } as const
  const events = await listRecordedEvents({ database }, filter, { limit: FAILURES_MAXIMUM, offset: 0 })
  return [...new Set(events.flatMap(({ subjectId }) => subjectId ?? []))]
}
