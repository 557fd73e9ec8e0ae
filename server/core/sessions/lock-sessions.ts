import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import { hashToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow, Tables } from '../../platform/database/tables.ts'

/** @returns false when the session was revoked, or got a new token, since the request was authenticated */
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

/** Locks in the order of the ids: in any other order, two transactions could deadlock. @returns the token hashes */
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

/** Locks the sessions in which the user impersonates, too. @returns the hashes of the tokens */
export function lockSessionsOfUserForUpdate(transaction: Kysely<Tables>, userId: string): Promise<Set<string>> {
  return lockInOrder(transaction, (where) =>
    where.or([where('userId', '=', userId), where('impersonatedBy', '=', userId)]),
  )
}

/**
 * A sign-in may revoke the sessions of the user, and the former session of the browser, which may belong to another
 * user. It also revokes the sessions in which staff impersonate from them.
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

export async function lockSessionAndImpersonationsForUpdate(transaction: Kysely<Tables>, id: string): Promise<void> {
  await lockInOrder(transaction, (where) => where.or([where('id', '=', id), where('impersonatorSessionId', '=', id)]))
}

/** Locks the sessions that have an organization as active, gave a client access to it, or are at one of its clients. */
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

export async function lockSessionsOfClientForUpdate(transaction: Kysely<Tables>, clientId: string): Promise<void> {
  await lockInOrder(transaction, (where) =>
    where('id', 'in', where.selectFrom('clientSessions').select('sessionId').where('clientId', '=', clientId)),
  )
}
