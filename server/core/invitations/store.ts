import type { Kysely } from 'kysely'
import type { InvitationRow, Tables, UserRow } from '../../platform/database/tables.ts'
import type { Page } from '../../platform/http/paging.ts'
import type { InvitationReference } from './reference.ts'

/** An invitation with what people are shown of it, and the inviter's role as it is now (null when they have left). */
export interface InvitationDetails {
  invitation: InvitationRow
  organizationName: string
  organizationSlug: string
  inviterName: string | null
  inviterEmail: string | null
  inviterRole: string | null
  /** Null when the inviter is deleted. */
  inviterBan: Pick<UserRow, 'banned' | 'banExpires'> | null
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
  const { organizationName, organizationSlug, inviterName, inviterEmail, inviterRole, ...rest } = row
  const { banned, banExpires, ...invitation } = rest
  const inviterBan = banned === null ? null : { banned, banExpires }
  return { invitation, organizationName, organizationSlug, inviterName, inviterEmail, inviterRole, inviterBan }
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
      'users.banned',
      'users.banExpires',
      'members.role as inviterRole',
    ])
}

export async function insertInvitation(database: Kysely<Tables>, invitation: InvitationRow): Promise<void> {
  await database.insertInto('invitations').values(invitation).execute()
}

/** The newest one of this address that nobody has answered, be its time over or not. */
export function findUnansweredInvitation(
  database: Kysely<Tables>,
  organizationId: string,
  email: string,
): Promise<InvitationRow | undefined> {
  return database
    .selectFrom('invitations')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('email', '=', email)
    .where('status', '=', 'pending')
    .orderBy('expiresAt', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** A new secret and a new end, for an invitation that is unanswered while its organization is locked. */
export async function renewInvitation(
  database: Kysely<Tables>,
  id: string,
  change: Pick<InvitationRow, 'secretHash' | 'expiresAt' | 'role' | 'inviterId'>,
): Promise<void> {
  await database.updateTable('invitations').set(change).where('id', '=', id).execute()
}

/** Compare-and-set: of many answers at once, one finds it pending. */
export function answerInvitation(
  database: Kysely<Tables>,
  id: string,
  status: 'accepted' | 'rejected' | 'canceled',
): Promise<InvitationRow | undefined> {
  return database
    .updateTable('invitations')
    .set({ status })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst()
}

export function findOrganizationId(
  database: Kysely<Tables>,
  id: string,
): Promise<{ organizationId: string } | undefined> {
  return database.selectFrom('invitations').select('organizationId').where('id', '=', id).executeTakeFirst()
}

/** Of one address, those that can still be accepted as far as time and status go; newest first. */
export function findOpenInvitationsOf(
  database: Kysely<Tables>,
  email: string,
  now: number,
): Promise<(InvitationRow & { organizationName: string })[]> {
  return database
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organizationId')
    .selectAll('invitations')
    .select('organizations.name as organizationName')
    .where('invitations.email', '=', email)
    .where('invitations.status', '=', 'pending')
    .where('invitations.expiresAt', '>', now)
    .orderBy('invitations.createdAt', 'desc')
    .execute()
}

export async function findInvitationsOf(
  database: Kysely<Tables>,
  organizationId: string,
  { limit, offset }: Page,
): Promise<{ invitations: InvitationRow[]; total: number }> {
  const all = database.selectFrom('invitations').where('organizationId', '=', organizationId)
  const invitations = await all
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { invitations, total }
}

/** @param now epoch milliseconds */
export async function countOpenInvitations(
  database: Kysely<Tables>,
  organizationId: string,
  now: number,
): Promise<number> {
  const { count } = await database
    .selectFrom('invitations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organizationId', '=', organizationId)
    .where('status', '=', 'pending')
    .where('expiresAt', '>', now)
    .executeTakeFirstOrThrow()
  return count
}
