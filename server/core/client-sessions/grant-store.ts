import type { Insertable, Kysely, Selectable } from 'kysely'
import { newId } from '../../platform/crypto/tokens.ts'
import { compileOnce } from '../../platform/database/compile-once.ts'
import { deleteSome } from '../../platform/database/delete-some.ts'
import { hasMoreThan } from '../../platform/database/has-more-than.ts'
import type { OAuthGrantRow, Tables } from '../../platform/database/tables.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { SHORT_GRANT_MILLISECONDS } from './row-limits.ts'

export async function insertGrant(
  transaction: Kysely<Tables>,
  grant: Insertable<Tables['oauthGrants']>,
): Promise<void> {
  await transaction.insertInto('oauthGrants').values(grant).execute()
}

/** Also true for a grant that has expired, or whose client is disabled. */
export async function hasGrant(database: Kysely<Tables>, id: string): Promise<boolean> {
  return hasMoreThan(database.selectFrom('oauthGrants').select('id').where('id', '=', id), 0)
}

/** @returns false when the grant was deleted */
export async function lockGrantForShare(transaction: Kysely<Tables>, id: string): Promise<boolean> {
  const found = transaction.selectFrom('oauthGrants').select('id').where('id', '=', id).forKeyShare()
  return (await found.executeTakeFirst()) !== undefined
}

/** Deletes a grant with its codes and tokens. @returns undefined when the grant was deleted before */
export async function deleteGrant(
  { transaction, context }: Pick<UnitOfWork, 'transaction' | 'context'>,
  id: string,
): Promise<OAuthGrantRow | undefined> {
  // Locks the session at the client first, as a sign-out does: the other order could deadlock.
  await transaction
    .selectFrom('clientSessions')
    .select('sid')
    .where('sid', '=', ({ selectFrom }) => selectFrom('oauthGrants').select('sid').where('id', '=', id))
    .forUpdate()
    .execute()
  const grant = await transaction.deleteFrom('oauthGrants').where('id', '=', id).returningAll().executeTakeFirst()
  // Inserts a grant that allows nothing, by which a removal of the user from the organization finds the session.
  if (grant && !(await isFoundByAnother(transaction, grant, context.now())))
    await insertGrant(transaction, { ...grant, id: newId('gra', context), scopes: '', resources: '[]' })
  return grant
}

/** Whether a removal of the user from the organization finds the session by another grant. */
async function isFoundByAnother(
  transaction: Kysely<Tables>,
  { sid, organizationId }: OAuthGrantRow,
  now: number,
): Promise<boolean> {
  if (organizationId === null) return true
  const others = transaction
    .selectFrom('oauthGrants')
    .select('id')
    .where('sid', '=', sid)
    .where('organizationId', '=', organizationId)
    .where('expiresAt', '>', now + SHORT_GRANT_MILLISECONDS)
  return hasMoreThan(others, 0)
}

const selectGrant = compileOnce((database, { id, now }: { id: string; now: number }) =>
  database
    .selectFrom('oauthGrants')
    .innerJoin('clientSessions', 'clientSessions.sid', 'oauthGrants.sid')
    .innerJoin('oauthClients', 'oauthClients.id', 'oauthGrants.clientId')
    .selectAll('oauthGrants')
    .select(['clientSessions.sessionId', 'oauthClients.metadata as clientMetadata'])
    .where('oauthGrants.id', '=', id)
    .where('oauthGrants.expiresAt', '>', now)
    .where('oauthClients.disabled', '=', 0),
)

export async function findGrant(
  database: Kysely<Tables>,
  id: string,
  now: number,
): Promise<(Selectable<Tables['oauthGrants']> & { sessionId: string; clientMetadata: string }) | undefined> {
  const [grant] = await selectGrant(database, { id, now })
  return grant
}

/** A disabled client ends its grants. */
export async function listClientMetadataOfGrants(
  database: Kysely<Tables>,
  ids: string[],
  now: number,
): Promise<string[]> {
  const grants = await database
    .selectFrom('oauthGrants')
    .innerJoin('oauthClients', 'oauthClients.id', 'oauthGrants.clientId')
    .select('oauthClients.metadata')
    .where('oauthGrants.id', 'in', ids)
    .where('oauthGrants.expiresAt', '>', now)
    .where('oauthClients.disabled', '=', 0)
    .execute()
  return grants.map(({ metadata }) => metadata)
}

export function deleteExpiredGrants(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const grants = database.selectFrom('oauthGrants').select('id').where('expiresAt', '<=', now)
  return deleteSome(database, 'oauthGrants', 'id', grants, limit)
}

/** Grants that one transaction may delete. Each deletion also deletes the codes and tokens of the grant. */
export const GRANTS_PER_TRANSACTION_MAXIMUM = 1_000

/** For clients with few sessions, or the join would be slow. */
export function selectGrantsOfClient(database: Kysely<Tables>, clientId: string) {
  return database
    .selectFrom('clientSessions')
    .innerJoin('oauthGrants', 'oauthGrants.sid', 'clientSessions.sid')
    .select('oauthGrants.id')
    .where('clientSessions.clientId', '=', clientId)
}

/** For organizations with few members, or the join would be slow. */
export function selectGrantsOfMembers(database: Kysely<Tables>, organizationId: string) {
  return database
    .selectFrom('members')
    .innerJoin('oauthGrants', (join) =>
      join
        .onRef('oauthGrants.userId', '=', 'members.userId')
        .onRef('oauthGrants.organizationId', '=', 'members.organizationId'),
    )
    .select('oauthGrants.id')
    .where('members.organizationId', '=', organizationId)
}
