import type { Kysely } from 'kysely'
import type { InvitationRow, Tables } from '../database/tables.ts'
import type { InvitationReference } from './reference.ts'

/** An invitation with what people are shown of it, and the inviter's role as it is now (null when they have left). */
export interface InvitationDetails {
  invitation: InvitationRow
  organizationName: string
  organizationSlug: string
  inviterName: string | null
  inviterEmail: string | null
  inviterRole: string | null
}

export function findInvitationByReference(
  database: Kysely<Tables>,
  { id, secretHash }: InvitationReference,
): Promise<InvitationDetails | undefined> {
  return takeDetails(database, (query) =>
    query.where('invitations.id', '=', id).where('invitations.secretHash', '=', secretHash),
  )
}

export function findInvitation(database: Kysely<Tables>, id: string): Promise<InvitationDetails | undefined> {
  return takeDetails(database, (query) => query.where('invitations.id', '=', id))
}

type DetailsQuery = ReturnType<typeof selectDetails>

async function takeDetails(
  database: Kysely<Tables>,
  narrow: (query: DetailsQuery) => DetailsQuery,
): Promise<InvitationDetails | undefined> {
  const row = await narrow(selectDetails(database)).executeTakeFirst()
  if (!row) return undefined
  const { organizationName, organizationSlug, inviterName, inviterEmail, inviterRole, ...invitation } = row
  return { invitation, organizationName, organizationSlug, inviterName, inviterEmail, inviterRole }
}

function selectDetails(database: Kysely<Tables>) {
  return database
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organizationId')
    .leftJoin('users', 'users.id', 'invitations.inviterId')
    .leftJoin('members', (join) =>
      join
        .onRef('members.userId', '=', 'invitations.inviterId')
        .onRef('members.organizationId', '=', 'invitations.organizationId'),
    )
    .selectAll('invitations')
    .select([
      'organizations.name as organizationName',
      'organizations.slug as organizationSlug',
      'users.name as inviterName',
      'users.email as inviterEmail',
      'members.role as inviterRole',
    ])
}

export async function insertInvitation(database: Kysely<Tables>, invitation: InvitationRow): Promise<void> {
  await database.insertInto('invitations').values(invitation).execute()
}

export function findPendingInvitation(
  database: Kysely<Tables>,
  organizationId: string,
  email: string,
  now: number,
): Promise<InvitationRow | undefined> {
  return database
    .selectFrom('invitations')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('email', '=', email)
    .where('status', '=', 'pending')
    .where('expiresAt', '>', now)
    .executeTakeFirst()
}

/** Serializes invitations of one organization until the transaction ends. */
export async function lockOrganization(transaction: Kysely<Tables>, organizationId: string): Promise<void> {
  await transaction.selectFrom('organizations').select('id').where('id', '=', organizationId).forUpdate().execute()
}

/** A new secret and a new end for an invitation that is still open; undefined when it no longer is. */
export function renewInvitation(
  database: Kysely<Tables>,
  id: string,
  change: { secretHash: string; expiresAt: number; role: string; inviterId: string },
): Promise<InvitationRow | undefined> {
  return database
    .updateTable('invitations')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst()
}

/** Compare-and-set: of many answers at once, one finds it pending. */
export function settleInvitation(
  database: Kysely<Tables>,
  id: string,
  status: 'accepted' | 'rejected' | 'canceled',
  now: number,
): Promise<InvitationRow | undefined> {
  return database
    .updateTable('invitations')
    .set({ status })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('expiresAt', '>', now)
    .returningAll()
    .executeTakeFirst()
}

export function isMemberWithEmail(
  database: Kysely<Tables>,
  organizationId: string,
  email: string,
): Promise<{ id: string } | undefined> {
  return database
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .select('members.id')
    .where('members.organizationId', '=', organizationId)
    .where('users.email', '=', email)
    .executeTakeFirst()
}

/** The inviter's row, locked, so that what they may do can't change before the transaction ends. */
export function lockMemberRole(
  transaction: Kysely<Tables>,
  organizationId: string,
  userId: string,
): Promise<{ role: string } | undefined> {
  return transaction
    .selectFrom('members')
    .select('role')
    .where('organizationId', '=', organizationId)
    .where('userId', '=', userId)
    .forUpdate()
    .executeTakeFirst()
}
