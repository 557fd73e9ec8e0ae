import type { Insertable, Kysely } from 'kysely'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import { compileOnce } from '../../../platform/database/compile-once.ts'
import { deleteSome } from '../../../platform/database/delete-some.ts'
import { hasMoreThan } from '../../../platform/database/has-more-than.ts'
import type { ArtifactKind, OAuthArtifactRow, Tables } from '../../../platform/database/tables.ts'
import { isLive } from '../../../platform/time/is-live.ts'

/** The hash depends on the kind, so that a value of one kind is never accepted as another kind. */
export function hashOfArtifact(kind: string, value: string): string {
  return hashToken(`${kind} ${value}`)
}

/** `consumedAt` of a displaced refresh token: long ago, so that it has no grace. */
export const DISPLACED_AT = 0

/** After the correction of a clock, refresh tokens must live, and revoked tokens and used proofs must stay known. */
const WITHOUT_WINDOW: ArtifactKind[] = ['RefreshToken', 'ReplayDetection', 'RevokedToken']

/** False for a code or a request that was stored by a clock that was ahead. */
function isInWindow({ kind, createdAt, expiresAt }: OAuthArtifactRow, now: number): boolean {
  return WITHOUT_WINDOW.includes(kind) || isLive(expiresAt, expiresAt - createdAt, now)
}

const selectArtifact = compileOnce((database, { idHash, now }: { idHash: string; now: number }) =>
  database.selectFrom('oauthArtifacts').selectAll().where('idHash', '=', idHash).where('expiresAt', '>', now),
)

export async function findArtifact(
  database: Kysely<Tables>,
  idHash: string,
  now: number,
): Promise<OAuthArtifactRow | undefined> {
  const [row] = await selectArtifact(database, { idHash, now })
  return row && isInWindow(row, now) ? row : undefined
}

export async function findDeviceCode(
  database: Kysely<Tables>,
  userCodeHash: string,
  now: number,
): Promise<OAuthArtifactRow | undefined> {
  const row = await database
    .selectFrom('oauthArtifacts')
    .selectAll()
    .where('userCodeHash', '=', userCodeHash)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return row && isInWindow(row, now) ? row : undefined
}

/** @returns false when there is one with this hash already */
export async function insertArtifact(
  database: Kysely<Tables>,
  artifact: Insertable<Tables['oauthArtifacts']>,
): Promise<boolean> {
  const inserted = await database
    .insertInto('oauthArtifacts')
    .values(artifact)
    .onConflict((conflict) => conflict.column('idHash').doNothing())
    .returning('idHash')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function updateArtifact(
  database: Kysely<Tables>,
  idHash: string,
  change: Partial<Pick<OAuthArtifactRow, 'payload' | 'grantId' | 'expiresAt' | 'answeredAt'>>,
): Promise<void> {
  await database.updateTable('oauthArtifacts').set(change).where('idHash', '=', idHash).execute()
}

/**
 * The first response to a token sets the time. Otherwise repeated requests would look concurrent for ever.
 * @param polledAt of the request. A response that comes after a later repetition does not answer it
 */
export async function settleArtifact(
  database: Kysely<Tables>,
  idHash: string,
  polledAt: number | null,
  now: number,
): Promise<void> {
  await database
    .updateTable('oauthArtifacts')
    .set({ answeredAt: now })
    .where('idHash', '=', idHash)
    .where('polledAt', 'is not distinct from', polledAt)
    .where('answeredAt', 'is', null)
    .execute()
}

/** Compare-and-set: one of several concurrent requests consumes the artifact. */
export async function consumeArtifact(database: Kysely<Tables>, idHash: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('oauthArtifacts')
    .set({ consumedAt: now })
    .where('idHash', '=', idHash)
    .where('consumedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteArtifact(database: Kysely<Tables>, idHash: string): Promise<void> {
  await database.deleteFrom('oauthArtifacts').where('idHash', '=', idHash).execute()
}

/** A displaced successor does not count as used. */
export function hasUsedSuccessor(database: Kysely<Tables>, idHash: string): Promise<boolean> {
  const successors = database.selectFrom('oauthArtifacts').select('idHash').where('predecessorHash', '=', idHash)
  return hasMoreThan(successors.where('consumedAt', '>', DISPLACED_AT), 0)
}

/** Displaced tokens are left out, so there is one at most. */
export function listSuccessors(
  database: Kysely<Tables>,
  predecessorHash: string,
): Promise<Pick<OAuthArtifactRow, 'idHash' | 'payload' | 'consumedAt'>[]> {
  return database
    .selectFrom('oauthArtifacts')
    .select(['idHash', 'payload', 'consumedAt'])
    .where('predecessorHash', '=', predecessorHash)
    .where((where) => where.or([where('consumedAt', 'is', null), where('consumedAt', '>', DISPLACED_AT)]))
    .execute()
}

/** The row of the displaced token stays, because its use shows a theft. */
export async function displaceUnusedSuccessor(database: Kysely<Tables>, idHash: string): Promise<void> {
  await database
    .updateTable('oauthArtifacts')
    .set({ consumedAt: DISPLACED_AT })
    .where('predecessorHash', '=', idHash)
    .where('consumedAt', 'is', null)
    .execute()
}

export function deleteExpiredArtifacts(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const artifacts = database.selectFrom('oauthArtifacts').select('idHash').where('expiresAt', '<=', now)
  return deleteSome(database, 'oauthArtifacts', 'idHash', artifacts, limit)
}

export function lockArtifactForUpdate(
  transaction: Kysely<Tables>,
  idHash: string,
): Promise<OAuthArtifactRow | undefined> {
  return transaction
    .selectFrom('oauthArtifacts')
    .selectAll()
    .where('idHash', '=', idHash)
    .forUpdate()
    .executeTakeFirst()
}

/** Compare-and-set. @returns false when another request has polled concurrently */
export async function replacePolledAt(
  database: Kysely<Tables>,
  idHash: string,
  former: number | null,
  polledAt: number,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('oauthArtifacts')
    .set({ polledAt })
    .where('idHash', '=', idHash)
    .where('polledAt', 'is not distinct from', former)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteAllArtifacts(transaction: Kysely<Tables>): Promise<void> {
  await transaction.deleteFrom('oauthArtifacts').execute()
}
