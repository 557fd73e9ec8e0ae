import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { countMatching } from '../../platform/database/count-matching.ts'
import { deleteSome } from '../../platform/database/delete-some.ts'
import type { InvitationRow, Tables } from '../../platform/database/tables.ts'
import type { Page } from '../../platform/http/paging.ts'
import { DAY_MILLISECONDS } from '../../platform/time/time-units.ts'
import { selectOfOrganization } from '../organizations/large-store.ts'
import { hasExpiredRow, hasNotExpiredRow } from './expiry.ts'
import type { MatchingInvitations } from './matching-invitations.ts'

export async function insertInvitations(database: Kysely<Tables>, invitations: InvitationRow[]): Promise<void> {
  if (invitations.length > 0) await database.insertInto('invitations').values(invitations).execute()
}

/** For a locked organization. Inserts an invitation that maintenance, which does not lock, has deleted concurrently. */
export async function renewInvitation(database: Kysely<Tables>, invitation: InvitationRow): Promise<void> {
  const { role, inviterId, secretHash, expiresAt } = invitation
  await database
    .insertInto('invitations')
    .values(invitation)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ role, inviterId, secretHash, expiresAt }))
    .execute()
}

export async function findOrganizationOfInvitation(database: Kysely<Tables>, id: string): Promise<string | undefined> {
  const row = await database.selectFrom('invitations').select('organizationId').where('id', '=', id).executeTakeFirst()
  return row?.organizationId
}

export async function readInvitationPage(
  matching: MatchingInvitations,
  { limit, offset }: Page,
): Promise<{ ids: string[]; total: number }> {
  const invitations = await matching
    .select('id')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { ids: invitations.map(({ id }) => id), total: await countMatching(matching) }
}

export async function countOpenInvitations(
  database: Kysely<Tables>,
  organizationId: string,
  now: number,
): Promise<number> {
  return (await countOpenInvitationsOf(database, [organizationId], now)).get(organizationId) ?? 0
}

export async function countOpenInvitationsOf(
  database: Kysely<Tables>,
  organizationIds: string[],
  now: number,
): Promise<Map<string, number>> {
  if (organizationIds.length === 0) return new Map()
  const rows = await database
    .selectFrom('invitations')
    .select(({ fn }) => ['organizationId', fn.countAll<number>().as('count')])
    .where('organizationId', 'in', organizationIds)
    .where('status', '=', 'pending')
    .where(hasNotExpiredRow(now))
    .groupBy('organizationId')
    .execute()
  return new Map(rows.map(({ organizationId, count }) => [organizationId, count]))
}

export type CanceledInvitation = Pick<InvitationRow, 'id' | 'organizationId'>

export function cancelAllInvitations(transaction: Kysely<Tables>): Promise<CanceledInvitation[]> {
  return cancelPending(transaction).execute()
}

export function cancelOwnerInvitations(
  transaction: Kysely<Tables>,
  organizationId: string,
): Promise<CanceledInvitation[]> {
  const ofOrganization = cancelPending(transaction).where('organizationId', '=', organizationId)
  return ofOrganization.where('role', '=', 'owner').execute()
}

function cancelPending(transaction: Kysely<Tables>) {
  return transaction
    .updateTable('invitations')
    .set({ status: 'canceled' })
    .where('status', '=', 'pending')
    .returning(['id', 'organizationId'])
}

/** Skips locked rows: a wait would hold up other users. @param endedBy epoch milliseconds; leaves those open then */
export async function deleteSomeInvitations(
  database: Kysely<Tables>,
  organizationId: string,
  limit: number,
  endedBy?: number,
): Promise<string[]> {
  const invitations = selectOfOrganization(database, 'invitations', organizationId).limit(limit)
  const selected = endedBy === undefined ? invitations : invitations.where(hasEnded(endedBy))
  const deleted = await database
    // `deleteSome` explains the separate query.
    .with('locked', () => selected.forUpdate().skipLocked())
    .deleteFrom('invitations')
    .where('id', 'in', (locked) => locked.selectFrom('locked').select('locked.id'))
    .returning('id')
    .execute()
  return deleted.map(({ id }) => id)
}

function hasEnded(now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`(status <> 'pending' or ${hasExpiredRow(now)})`
}

const RETENTION_MILLISECONDS = 90 * DAY_MILLISECONDS

/** Includes accepted invitations, because they contain email addresses, whose owners may have no account. */
export function deleteOldInvitations(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const invitations = database
    .selectFrom('invitations')
    .select('id')
    .where('expiresAt', '<=', now - RETENTION_MILLISECONDS)
  return deleteSome(database, 'invitations', 'id', invitations, limit)
}
