import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import { hashToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow, Tables } from '../../platform/database/tables.ts'

/**
 * Locks a session against revocation until the transaction ends.
 * @returns false when the session was revoked, or got a new token, since the request was authenticated
 */
export async function lockSessionForShare(
  transaction: Kysely<Tables>,
  { id, tokenHash }: Pick<SessionRow, 'id' | 'tokenHash'>,
): Promise<boolean> {
  const session = await transaction
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .where('tokenHash', '=', tokenHash)
    .forKeyShare()
    .executeTakeFirst()
  return session !== undefined
}

/**
 * Locks sessions in the order of their ids. Without this, later statements would lock them in any order, and two
 * transactions could deadlock.
 * @returns the hashes of their tokens
 */
async function lockInOrder(
  transaction: Kysely<Tables>,
  which: (where: ExpressionBuilder<Tables, 'sessions'>) => Expression<SqlBool>,
): Promise<Set<string>> {
  const rows = await transaction
    .selectFrom('sessions')
    .select('tokenHash')
    .where(which)
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Set(rows.map(({ tokenHash }) => tokenHash))
}

/**
 * Locks the sessions of a user and those in which the user impersonates.
 * @returns the hashes of their tokens
 */
export function lockSessionsOfUserForUpdate(transaction: Kysely<Tables>, userId: string): Promise<Set<string>> {
  return lockInOrder(transaction, (where) =>
    where.or([where('userId', '=', userId), where('impersonatedBy', '=', userId)]),
  )
}

/**
 * Locks the sessions that a sign-in may revoke. These are the sessions of the user, and the former session of the
 * browser, which may belong to another user. If one of them belongs to staff, their sessions of impersonation are
 * locked, too.
 */
export async function lockSessionsOfSignInForUpdate(
  transaction: Kysely<Tables>,
  userId: string,
  formerToken: string | undefined,
): Promise<void> {
  if (formerToken === undefined) {
    await lockSessionsOfUserForUpdate(transaction, userId)
    return
  }
  const tokenHash = hashToken(formerToken)
  await lockInOrder(transaction, (where) =>
    where.or([
      where('userId', '=', userId),
      where('impersonatedBy', '=', userId),
      where('tokenHash', '=', tokenHash),
      where(
        'impersonatorSessionId',
        'in',
        where.selectFrom('sessions as former').select('former.id').where('former.tokenHash', '=', tokenHash),
      ),
    ]),
  )
}

/** Locks a session and those in which staff impersonate from it. */
export async function lockSessionAndImpersonationsForUpdate(transaction: Kysely<Tables>, id: string): Promise<void> {
  await lockInOrder(transaction, (where) => where.or([where('id', '=', id), where('impersonatorSessionId', '=', id)]))
}

/**
 * Locks the sessions that the deletion of organizations changes. These sessions have the organization as the active
 * one, gave a client access to it, or are signed in at one of its clients.
 */
export async function lockSessionsOfOrganizationsForUpdate(
  transaction: Kysely<Tables>,
  organizationIds: string[],
): Promise<void> {
  const ofMembers = transaction
    .selectFrom('members')
    .innerJoin('oauthGrants', (join) =>
      join
        .onRef('oauthGrants.userId', '=', 'members.userId')
        .onRef('oauthGrants.organizationId', '=', 'members.organizationId'),
    )
    .innerJoin('clientSessions', 'clientSessions.sid', 'oauthGrants.sid')
    .select('sessionId as id')
    .where('members.organizationId', 'in', organizationIds)
  const atOwnClients = transaction
    .selectFrom('oauthClients')
    .innerJoin('clientSessions', 'clientSessions.clientId', 'oauthClients.id')
    .select('sessionId as id')
    .where('organizationId', 'in', organizationIds)
  // A union, because PostgreSQL would read every session for conditions joined with OR.
  await lockInOrder(transaction, (where) =>
    where(
      'id',
      'in',
      where
        .selectFrom('sessions')
        .select('id')
        .where('activeOrganizationId', 'in', organizationIds)
        .union(ofMembers)
        .union(atOwnClients),
    ),
  )
}

/** Locks the sessions that the deletion of memberships changes. */
export async function lockSessionsOfMembersForUpdate(
  transaction: Kysely<Tables>,
  organizationId: string,
  userIds: string[],
): Promise<void> {
  await lockInOrder(transaction, (where) =>
    where(
      'id',
      'in',
      where
        .selectFrom('sessions')
        .select('id')
        .where('userId', 'in', userIds)
        .where('activeOrganizationId', '=', organizationId)
        .union(
          where
            .selectFrom('oauthGrants')
            .innerJoin('clientSessions', 'clientSessions.sid', 'oauthGrants.sid')
            .select('sessionId as id')
            .where('oauthGrants.userId', 'in', userIds)
            .where('oauthGrants.organizationId', '=', organizationId),
        ),
    ),
  )
}

/** Locks the sessions that are signed in at a client. */
export async function lockSessionsOfClientForUpdate(transaction: Kysely<Tables>, clientId: string): Promise<void> {
  await lockInOrder(transaction, (where) =>
    where('id', 'in', where.selectFrom('clientSessions').select('sessionId').where('clientId', '=', clientId)),
  )
}
