import { type Kysely, sql } from 'kysely'
import { compileOnce, UNREAD } from '../../platform/database/compile-once.ts'
import type { OAuthGrantRow, Tables } from '../../platform/database/tables.ts'
import { HOUR_MILLISECONDS } from '../../platform/time/time-units.ts'

// A ban, a new password or a removal deletes all rows of a user in one transaction, which may take about a second. So the
// rows are limited where they are inserted.

/** Of a session at a client. An app that signs the user in again and again uses the newest ones. */
const GRANTS_MAXIMUM = 100
/** Of a session at a client. Apart from sign-ins, because an app may exchange a token for each request. */
const SHORT_GRANTS_MAXIMUM = 500
/** A grant that ends earlier is one of an exchange: it ends with its token. Others do not end before the session. */
export const SHORT_MILLISECONDS = HOUR_MILLISECONDS
const GRANTS_OF_USER_MAXIMUM = 5_000
const CLIENT_SESSIONS_OF_USER_MAXIMUM = 5_000
/** With one new grant. An earlier version may have left more rows than the limits. */
const DELETED_MAXIMUM = 1_000

type NewGrant = Pick<OAuthGrantRow, 'id' | 'sid' | 'userId' | 'expiresAt'>

/** Deletes what a new grant has displaced, and not the new grant. */
export async function deleteRowsBeyondLimits(
  transaction: Kysely<Tables>,
  { id, sid, userId, expiresAt }: NewGrant,
  now: number,
): Promise<void> {
  const shortUntil = now + SHORT_MILLISECONDS
  const [isShort, kept] = expiresAt <= shortUntil ? [1, SHORT_GRANTS_MAXIMUM - 1] : [0, GRANTS_MAXIMUM - 1]
  await deleteOldestGrants(transaction, { id, sid, isShort, shortUntil, kept })
  await deleteGrantsOfUser(transaction, { id, userId })
  await deleteClientSessionsOfUser(transaction, { sid, userId })
}

type OldestGrants = Pick<NewGrant, 'id' | 'sid'> & { isShort: number; shortUntil: number; kept: number }

/**
 * The newest grant of each organization is deleted last: by it, the removal of the user from the organization finds the
 * session at the client.
 */
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
    // No comparison of the column alone: PostgreSQL could read an index with the grants of all users.
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
}, UNREAD)

/**
 * The sessions at clients with the most grants lose those that expire first. So a client with many grants does not end the
 * few of another one. Skips locked grants: a wait for another session of the user could deadlock.
 */
const deleteGrantsOfUser = compileOnce((database, { id, userId }: Pick<NewGrant, 'id' | 'userId'>) => {
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
}, UNREAD)

/** The ones that were used least recently. A trigger enqueues their log-outs. Skips locked ones, as above. */
const deleteClientSessionsOfUser = compileOnce((database, { sid, userId }: Pick<NewGrant, 'sid' | 'userId'>) => {
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
}, UNREAD)
