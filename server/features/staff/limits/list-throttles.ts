import type { Kysely } from 'kysely'
import type { Static } from 'typebox'
import type { RateLimits } from '../../../core/access/rate-limits.ts'
import { parseThrottleKey, type Throttled } from '../../../core/access/throttles.ts'
import { listRecordedEvents } from '../../../core/audit/list-events.ts'
import type { Context } from '../../../core/context.ts'
import { budgetOfAccount } from '../../../core/credentials/password-budgets.ts'
import { listSessionUserIds } from '../../../core/sessions/store.ts'
import { listUsersById } from '../../../core/users/find-user.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { toIso } from '../../../platform/http/time.ts'
import { MINUTE_MILLISECONDS } from '../../../platform/time/time-units.ts'
import type { ListThrottlesAnswer } from './schemas.ts'

const THROTTLES_MAXIMUM = 500
/** The failed sign-ins whose users are compared with the hashes in keys. Each window of a password limit is shorter. */
const FAILURES_MAXIMUM = 1_000
const FAILURES_MILLISECONDS = 30 * MINUTE_MILLISECONDS

type Throttle = Static<typeof ListThrottlesAnswer>['throttles'][number]
type Addresses = Map<string, string>

/** The limits that are at least half used, the most used first. On SQLite, those of this process. */
export async function listThrottles(context: Context, rateLimits: RateLimits): Promise<Throttle[]> {
  const counters = (await rateLimits.listUsed(THROTTLES_MAXIMUM)).flatMap((counter) => {
    const throttled = parseThrottleKey(counter.key)
    return throttled ? [{ ...counter, throttled }] : []
  })
  const addresses = await readAddresses(
    context,
    counters.map(({ throttled }) => throttled),
  )
  return counters.map(({ throttled, expiresAt, ...counter }) => ({
    ...counter,
    kind: throttled.kind,
    holder: throttled.holder,
    route: throttled.route,
    subject: subjectOf(counter.key, throttled, addresses),
    expiresAt: toIso(expiresAt),
  }))
}

function subjectOf(key: string, { holder, id }: Throttled, addresses: Addresses): string | null {
  if (holder === 'network' || holder === 'site') return id
  return addresses.get(holder === 'account' ? key : userOrSessionOf(id)) ?? null
}

/** The id of a device is the id of its user and a hash. */
function userOrSessionOf(id: string): string {
  return id.split(' ')[0] ?? ''
}

/** @returns the email addresses of users, by the id of the user or session, or by the key of the account */
async function readAddresses({ slowReads, config, now }: Context, all: Throttled[]): Promise<Addresses> {
  const idsOf = (...holders: Throttled['holder'][]) =>
    all.filter(({ holder }) => holders.includes(holder)).map(({ id }) => userOrSessionOf(id))
  const sessions = await listSessionUserIds(slowReads, idsOf('session'))
  const failed = idsOf('account').length > 0 ? await listFailedUserIds(slowReads, now()) : []
  const users = await listUsersById(slowReads, [
    ...idsOf('user', 'device'),
    ...failed,
    ...sessions.map(({ userId }) => userId),
  ])
  const byId = new Map(users.map(({ id, email }) => [id, email]))
  return new Map([
    ...byId,
    ...sessions.map(({ id, userId }) => [id, byId.get(userId) ?? ''] as const),
    // The key of an account has only a hash of the email address, so it is compared with the users of recent failures.
    ...users.map(({ email }) => [budgetOfAccount(config, email).key, email] as const),
  ])
}

async function listFailedUserIds(database: Kysely<Tables>, now: number): Promise<string[]> {
  const filter = { action: 'sign-in.failed', from: now - FAILURES_MILLISECONDS } as const
  const events = await listRecordedEvents({ database }, filter, { limit: FAILURES_MAXIMUM, offset: 0 })
  return [...new Set(events.flatMap(({ subjectId }) => subjectId ?? []))]
}
