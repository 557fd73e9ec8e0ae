import { type Expression, type ExpressionBuilder, type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import { countMatching } from '../../../platform/database/count-matching.ts'
import { deleteSome } from '../../../platform/database/delete-some.ts'
import type { OAuthLogoutRow, Tables } from '../../../platform/database/tables.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../../platform/time/time-units.ts'

/** Covers an attempt of at most 5 seconds, and another process whose clock is a minute ahead. */
const LEASE_MILLISECONDS = 90_000
/** A time further ahead was written by a clock that was ahead, because all delays and leases are shorter. */
const IMPOSSIBLE_MILLISECONDS = 2 * HOUR_MILLISECONDS
const RETENTION_MILLISECONDS = 7 * DAY_MILLISECONDS

type LogOut = Selectable<OAuthLogoutRow>

/** `leasedUntil` identifies the lease: a result after its end must not overwrite the result of another process. */
export type LeasedLogOut = Pick<LogOut, 'id' | 'sid' | 'clientId' | 'userId' | 'attempts' | 'leasedUntil'> & {
  firstAttemptAt: number
}

function isDue(where: ExpressionBuilder<Tables, 'oauthLogouts'>, now: number): Expression<SqlBool> {
  const impossible = now + IMPOSSIBLE_MILLISECONDS
  return where.and([
    where('settledAt', 'is', null),
    where.or([where('nextAttemptAt', '<=', now), where('nextAttemptAt', '>', impossible)]),
    where.or([where('leasedUntil', '<=', now), where('leasedUntil', '>', impossible)]),
  ])
}

export interface ClientWithLogOuts {
  clientId: string
  /** The organization of the client, or the administrator who created it. Empty for clients that registered themselves. */
  owner: string
  /** Null when the client was deleted, or wants no log-outs any more. */
  backchannelLogoutUri: string | null
}

/** Jumps along the index from client to client: a poll must not read all log-outs of a client that does not respond. */
export async function listClientsWithDueLogOuts(database: Kysely<Tables>, now: number): Promise<ClientWithLogOuts[]> {
  const { rows } = await sql<ClientWithLogOuts>`
    with recursive clients("clientId") as (
      select min("clientId") from "oauthLogouts" where "settledAt" is null
      union all
      select (select min("clientId") from "oauthLogouts" where "settledAt" is null and "clientId" > clients."clientId")
      from clients where "clientId" is not null
    )
    select clients."clientId", "oauthClients"."backchannelLogoutUri",
      coalesce("oauthClients"."organizationId", "oauthClients"."createdBy", '') as owner
    from clients left join "oauthClients" on "oauthClients".id = clients."clientId"
    where clients."clientId" is not null and exists ${database
      .selectFrom('oauthLogouts')
      .select('id')
      .where('oauthLogouts.clientId', '=', sql.ref<string>('clients.clientId'))
      .where((where) => isDue(where, now))}`.execute(database)
  return rows
}

/**
 * One statement, so that only one process gets the log-out. A clock that was ahead may have stored a first attempt in
 * the future. The lease replaces it, because the log-out would not be given up before that time.
 */
export async function leaseLogOut(
  database: Kysely<Tables>,
  clientId: string,
  now: number,
): Promise<LeasedLogOut | undefined> {
  const leased = await database
    .updateTable('oauthLogouts')
    .set({
      leasedUntil: now + LEASE_MILLISECONDS,
      firstAttemptAt: sql`case when "firstAttemptAt" <= ${now} then "firstAttemptAt" else ${now} end`,
    })
    .where('id', '=', (logOuts) =>
      logOuts
        .selectFrom('oauthLogouts')
        .select('id')
        .where('clientId', '=', clientId)
        .where((where) => isDue(where, now))
        // The order of the index. A second column would sort the thousands of log-outs that may wait for one client.
        .orderBy('nextAttemptAt')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'sid', 'clientId', 'userId', 'attempts', 'firstAttemptAt', 'leasedUntil'])
    .executeTakeFirst()
  return leased as LeasedLogOut | undefined
}

export type LogOutResult = Pick<LogOut, 'attempts' | 'lastError'> & ({ nextAttemptAt: number } | { settledAt: number })

/** Ends the lease. @returns false when the lease has expired and another process got the log-out */
export async function saveLogOutResult(
  database: Kysely<Tables>,
  logOut: LeasedLogOut,
  result: LogOutResult,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('oauthLogouts')
    .set({ ...result, leasedUntil: 0 })
    .where('id', '=', logOut.id)
    .where('leasedUntil', '=', logOut.leasedUntil)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Ends the leases, so that the results of log-outs in flight have no effect. */
export async function dropSomeLogOuts(
  database: Kysely<Tables>,
  { clientId, now, limit }: { clientId: string; now: number; limit: number },
): Promise<number> {
  const { numUpdatedRows } = await database
    .updateTable('oauthLogouts')
    .set({ settledAt: now, lastError: null, leasedUntil: 0 })
    .where('id', 'in', (logOuts) =>
      logOuts
        .selectFrom('oauthLogouts')
        .select('oauthLogouts.id')
        .where('clientId', '=', clientId)
        .where('settledAt', 'is', null)
        // The client may get an address again between two batches.
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('oauthClients')
                .select('oauthClients.id')
                .where('oauthClients.id', '=', clientId)
                .where('backchannelLogoutUri', 'is not', null),
            ),
          ),
        )
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

export interface LogOutCounts {
  waiting: number
  retried: number
  oldestAttemptAt: number | undefined
  givenUp: number
}

export async function countLogOuts(database: Kysely<Tables>, givenUpSince: number): Promise<LogOutCounts> {
  const waiting = await database
    .selectFrom('oauthLogouts')
    .select(({ fn }) => [fn.countAll<number>().as('waiting'), fn.min('firstAttemptAt').as('oldestAttemptAt')])
    .select(({ fn }) => fn.countAll<number>().filterWhere('attempts', '>', 0).as('retried'))
    .where('settledAt', 'is', null)
    .executeTakeFirstOrThrow()
  const givenUp = database
    .selectFrom('oauthLogouts')
    .where('settledAt', '>', givenUpSince)
    .where('lastError', 'is not', null)
  return {
    ...waiting,
    oldestAttemptAt: waiting.oldestAttemptAt ?? undefined,
    givenUp: await countMatching(givenUp),
  }
}

export function deleteSettledLogOuts(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const logOuts = database
    .selectFrom('oauthLogouts')
    .select('id')
    .where('settledAt', '<=', now - RETENTION_MILLISECONDS)
  return deleteSome(database, 'oauthLogouts', 'id', logOuts, limit)
}
