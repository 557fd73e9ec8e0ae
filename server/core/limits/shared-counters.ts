import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Config } from '../../platform/config/config.ts'
import { compileOnce } from '../../platform/database/compile-once.ts'
import { deleteSome } from '../../platform/database/delete-some.ts'
import { isLiveRow } from '../../platform/database/is-live-row.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { isLive } from '../../platform/time/is-live.ts'
import {
  type Budget,
  type Charge,
  type Counters,
  RESERVATION_MILLISECONDS,
  type Usage,
  type UsedCounter,
} from './counters.ts'
import { listThrottleLimits } from './throttles.ts'

type Limits = Config['limits']

/** Without a wait for the disk or a standby, a crash loses the charges of the last second at most. */
const COMMIT_WITHOUT_WAITING = sql<string>`set_config('synchronous_commit', 'off', true)`

/** Counters in PostgreSQL, which all processes share and which survive a restart (CVE-2026-43914, CVE-2026-27801). */
export function createSharedCounters(database: Kysely<Tables>, now: () => number, limits: Limits): Counters {
  return {
    async charge(charges) {
      const budgets = new Map(charges.map(({ budget }) => [budget.key, budget]))
      const rows = await add(database, now(), charges)
      return rows.map(({ key, used, reserved, expiresAt }) => {
        const budget = budgets.get(key) as Budget
        return { budget, used, reserved, expiresAt }
      })
    },
    async find({ key, windowMilliseconds }) {
      const counter = await database
        .selectFrom('rateLimits')
        .select(['used', 'expiresAt'])
        .where('key', '=', key)
        .executeTakeFirst()
      return counter && isLive(counter.expiresAt, windowMilliseconds, now()) ? counter : undefined
    },
    listHalfUsed: (maximum) => listHalfUsed(database, now(), limits, maximum),
    async clear(transaction, key) {
      const { numDeletedRows } = await transaction
        .deleteFrom('rateLimits')
        .where('key', '=', key)
        .executeTakeFirstOrThrow()
      return numDeletedRows === 1n
    },
    forget: () => undefined,
  }
}

async function listHalfUsed(
  database: Kysely<Tables>,
  now: number,
  limits: Limits,
  maximum: number,
): Promise<UsedCounter[]> {
  const cases = listThrottleLimits(limits).map(
    ({ pattern, limit, windowMilliseconds }) =>
      sql`when key like ${pattern} and ${isLiveRow(windowMilliseconds, now)} then ${sql.lit(limit)}`,
  )
  const { rows } = await sql<UsedCounter>`
    select key, used, "limit", "expiresAt"
    from (select *, case ${sql.join(cases, sql` `)} end as "limit" from "rateLimits") as counters
    where used * 2 >= "limit" order by used::float / "limit" desc, key limit ${maximum}`.execute(database)
  return rows
}

type CounterRow = Omit<Usage, 'budget'> & { key: string }

/** The n-th values of all lists belong together. */
interface Charged {
  keys: string[]
  limits: number[]
  used: number[]
  restores: boolean[]
  reserved: number[]
  reservedUntil: number[]
  expiresAt: number[]
}

const upsertCounters = compileOnce((_database, charged: Charged) => {
  const { keys, limits, restores } = charged
  const ofKey = (values: unknown[], type: RawBuilder<unknown>) => {
    const cases = keys.map((key, index) => sql`when ${key} then ${values[index]}::${type}`)
    return sql`case counter."key" ${sql.join(cases, sql` `)} end`
  }
  const rows = keys.map((key, index) => {
    const values = [charged.used, charged.reserved, charged.reservedUntil, charged.expiresAt]
    return sql`(${sql.join([key, ...values.map((list) => list[index])])})`
  })
  const limit = ofKey(limits, sql`integer`)
  const isRestored = ofKey(restores, sql`boolean`)
  const time = sql`(excluded."reservedUntil" - ${sql.lit(RESERVATION_MILLISECONDS)})`
  // The same condition as `isLive`. The value of excluded."expiresAt" is now plus one window.
  const isLiveCounter = sql`counter."expiresAt" > ${time} and counter."expiresAt" <= 2 * excluded."expiresAt" - ${time}`
  const used = sql`case when ${isLiveCounter} and not ${isRestored} then counter."used" else 0 end + excluded."used"`
  const isReserved = sql`${isLiveCounter} and counter."reservedUntil" > ${time}`
  const reserved = sql`greatest(0, case when ${isReserved} then greatest(0, counter."reserved") else 0 end + excluded."reserved")`
  // Only a guess that finds room renews the expiry: the other reservations may be those of a killed process.
  return sql<CounterRow>`
    insert into "rateLimits" as counter ("key", "used", "reserved", "reservedUntil", "expiresAt")
    values ${sql.join(rows)}
    on conflict ("key") do update set
      "used" = ${used},
      "reserved" = ${reserved},
      "reservedUntil" = case
        when excluded."reserved" > 0 and ${used} + ${reserved} <= ${limit} then excluded."reservedUntil"
        else counter."reservedUntil" end,
      "expiresAt" = case when ${isLiveCounter} then counter."expiresAt" else excluded."expiresAt" end
    returning "key", "used", "reserved", "expiresAt", ${COMMIT_WITHOUT_WAITING}`
})

/** One statement in the order of the keys, so that concurrent requests lock rows in the same order. */
function add(database: Kysely<Tables>, now: number, charges: Charge[]): Promise<CounterRow[]> {
  const inOrder = charges.toSorted((one, other) => (one.budget.key < other.budget.key ? -1 : 1))
  return upsertCounters(database, {
    keys: inOrder.map(({ budget }) => budget.key),
    limits: inOrder.map(({ budget }) => budget.limit),
    used: inOrder.map(({ used }) => used),
    restores: inOrder.map(({ restores }) => restores === true),
    reserved: inOrder.map(({ reserved }) => reserved),
    reservedUntil: inOrder.map(() => now + RESERVATION_MILLISECONDS),
    expiresAt: inOrder.map(({ budget }) => now + budget.windowMilliseconds),
  })
}

export function deleteExpiredCounters(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const counters = database.selectFrom('rateLimits').select('key').where('expiresAt', '<=', now)
  return deleteSome(database, 'rateLimits', 'key', counters, limit)
}
