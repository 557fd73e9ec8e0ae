import { type Kysely, sql } from 'kysely'
import { compileOnce, RESULT_UNUSED } from '../../platform/database/compile-once.ts'
import type { OAuthGrantRow, Tables } from '../../platform/database/tables.ts'
import { HOUR_MILLISECONDS } from '../../platform/time/time-units.ts'

// A ban or a new password deletes all rows of a user in one transaction, of about 1 s. So each insert enforces limits.

/** Grants of sign-ins for each session at a client. An app that signs the user in repeatedly uses the newest grants. */
const GRANTS_MAXIMUM = 100
/** Grants of exchanges for each session at a client. Separate, because an app may exchange a token for each request. */
const SHORT_GRANTS_MAXIMUM = 500
/** A grant with less time left is one of an exchange. Other grants last as long as the session. */
export const SHORT_GRANT_MILLISECONDS = HOUR_MILLISECONDS
const GRANTS_OF_USER_MAXIMUM = 5_000
const CLIENT_SESSIONS_OF_USER_MAXIMUM = 5_000
/** Rows that the insert of one grant may delete. An earlier version may have left many more rows than the limits. */
const DELETED_MAXIMUM = 1_000

type InsertedGrant = Pick<OAuthGrantRow, 'id' | 'sid' | 'userId' | 'expiresAt'>

/** Deletes the oldest rows beyond the limits after the insert of a grant, but never that grant. */
export async function deleteRowsBeyondLimits(
  transaction: Kysely<Tables>,
  { id, sid, userId, expiresAt }: InsertedGrant,
  now: number,
): Promise<void> {
  const shortUntil = now + SHORT_GRANT_MILLISECONDS
  const [isShort, kept] = expiresAt <= shortUntil ? [1, SHORT_GRANTS_MAXIMUM - 1] : [0, GRANTS_MAXIMUM - 1]
  await deleteOldestGrants(transaction, { id, sid, isShort, shortUntil, kept })
  await deleteGrantsOfUser(transaction, { id, userId })
  await deleteClientSessionsOfUser(transaction, { sid, userId })
}

type OldestGrants = Pick<InsertedGrant, 'id' | 'sid'> & { isShort: number; shortUntil: number; kept: number }

/** The newest grant of each organization is deleted last: it leads to the session when the user leaves. */
const deleteOldestGrants = compileOnce((database, { id, sid, isShort, shortUntil, kept }: OldestGrants) => {
  const ranked = database
    .selectFrom('oauthGrants')
    .select(({ fn }) => [
      'id',
      'createdAt',
      fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('organizationId').orderBy('createdAt', 'desc'))
        .as('place'),
    ])
    .where('sid', '=', sid)
    .where('id', '!=', id)
    // An expression instead of the column: otherwise PostgreSQL could read an index with the grants of all users.
    .where(sql<number>`case when "expiresAt" <= ${shortUntil} then 1 else 0 end`, '=', isShort)
  return database
    .deleteFrom('oauthGrants')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom(ranked.as('ranked'))
        .select('ranked.id')
        .orderBy('ranked.place')
        .orderBy('ranked.createdAt', 'desc')
        .limit(DELETED_MAXIMUM)
        .offset(kept),
    )
}, RESULT_UNUSED)

/** A client with many grants must not displace those of another client. Skips locked grants: a wait could deadlock. */
const deleteGrantsOfUser = compileOnce((database, { id, userId }: Pick<InsertedGrant, 'id' | 'userId'>) => {
  const read = database
    .selectFrom('oauthGrants')
    .select(['id', 'sid', 'organizationId', 'expiresAt'])
    .where('userId', '=', userId)
    .where('id', '!=', id)
    .orderBy('organizationId')
    .limit(GRANTS_OF_USER_MAXIMUM + DELETED_MAXIMUM)
  const ranked = database.selectFrom(read.as('read')).select(({ fn }) => [
    'id',
    'expiresAt',
    fn
      .agg<number>('row_number')
      .over((over) => over.partitionBy(['sid', 'organizationId']).orderBy('expiresAt', 'desc'))
      .as('place'),
  ])
  const displaced = database
    .selectFrom(ranked.as('ranked'))
    .select('id')
    .orderBy('place')
    .orderBy('expiresAt', 'desc')
    .limit(DELETED_MAXIMUM)
    .offset(GRANTS_OF_USER_MAXIMUM - 1)
  return database
    .deleteFrom('oauthGrants')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('oauthGrants').select('id').where('id', 'in', displaced).forUpdate().skipLocked(),
    )
}, RESULT_UNUSED)

/** A trigger enqueues the log-outs. Skips locked sessions: a wait could deadlock. */
const deleteClientSessionsOfUser = compileOnce((database, { sid, userId }: Pick<InsertedGrant, 'sid' | 'userId'>) => {
  const displaced = database
    .selectFrom('clientSessions')
    .select('sid')
    .where('userId', '=', userId)
    .where('sid', '!=', sid)
    .orderBy('lastUsedAt', 'desc')
    .limit(DELETED_MAXIMUM)
    .offset(CLIENT_SESSIONS_OF_USER_MAXIMUM - 1)
  return database
    .deleteFrom('clientSessions')
    .where('sid', 'in', ({ selectFrom }) =>
      selectFrom('clientSessions').select('sid').where('sid', 'in', displaced).forUpdate().skipLocked(),
    )
}, RESULT_UNUSED)
