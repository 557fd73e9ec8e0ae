import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'

/**
 * For a change that a session asks for: until the transaction ends, the session is not revoked.
 * @returns whether the session is there; it may have been revoked since the request was authenticated
 */
export async function lockSessionForShare(transaction: Kysely<Tables>, id: string): Promise<boolean> {
  const session = await transaction
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return session !== undefined
}

/**
 * A user's sessions and those in which they act as somebody, which end with theirs: in the order of their ids, before a
 * statement takes several in an order of its own.
 * @returns the ids of those that are there
 */
export async function lockSessionsOf(transaction: Kysely<Tables>, userId: string): Promise<string[]> {
  const rows = await transaction
    .selectFrom('sessions')
    .select('id')
    .where((where) => where.or([where('userId', '=', userId), where('impersonatedBy', '=', userId)]))
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map(({ id }) => id)
}

/** Likewise a session and those in which staff act from it. */
export async function lockSessionWithActing(transaction: Kysely<Tables>, id: string): Promise<void> {
  await transaction
    .selectFrom('sessions')
    .select('id')
    .where((where) => where.or([where('id', '=', id), where('impersonatorSessionId', '=', id)]))
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Likewise those in which an organization is the active one. */
export async function lockSessionsIn(transaction: Kysely<Tables>, organizationId: string): Promise<void> {
  await transaction
    .selectFrom('sessions')
    .select('id')
    .where('activeOrganizationId', '=', organizationId)
    .orderBy('id')
    .forUpdate()
    .execute()
}
