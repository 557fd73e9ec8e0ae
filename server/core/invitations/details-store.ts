import type { ExpressionBuilder, Kysely } from 'kysely'
import type { InvitationRow, OrganizationRole, ServiceRole, Tables, UserRow } from '../../platform/database/tables.ts'
import { isNotBanned } from '../users/banned.ts'
import { hasNotExpiredRow } from './expiry.ts'
import type { InvitationReference } from './reference.ts'

export interface InvitationDetails {
  invitation: InvitationRow
  organizationName: string
  organizationSlug: string
  organizationLogo: string | null
  inviterName: string | null
  inviterEmail: string | null
  /** The current role; null when the inviter is not a member any more. */
  inviterRole: OrganizationRole | null
  /** null when the inviter is deleted */
  inviterServiceRole: ServiceRole | null
  /** The invitation is for an owner, and the organization has no owner or only banned ones. Staff may invite then. */
  isOwnerNeeded: boolean
  inviterBan: Pick<UserRow, 'banned' | 'banExpires'> | null
}

export function findInvitationByReference(
  database: Kysely<Tables>,
  now: number,
  { id, secretHash }: InvitationReference,
): Promise<InvitationDetails | undefined> {
  return findFirst(
    selectDetails(database, now).where('invitations.id', '=', id).where('invitations.secretHash', '=', secretHash),
  )
}

export function findInvitation(
  database: Kysely<Tables>,
  now: number,
  id: string,
): Promise<InvitationDetails | undefined> {
  return findFirst(selectDetails(database, now).where('invitations.id', '=', id))
}

export async function listOpenInvitations(
  database: Kysely<Tables>,
  now: number,
  email: string,
): Promise<InvitationDetails[]> {
  const rows = await selectDetails(database, now)
    .where('invitations.email', '=', email)
    .where('invitations.status', '=', 'pending')
    .where(hasNotExpiredRow(now))
    .orderBy('invitations.createdAt', 'desc')
    .execute()
  return rows.map(toDetails)
}

/** Expired invitations come first. The invitation that expires last is at the end. */
export async function listPendingInvitations(
  database: Kysely<Tables>,
  now: number,
  organizationId: string,
  emails: string[],
): Promise<InvitationDetails[]> {
  const rows = await selectDetails(database, now)
    .where('invitations.organizationId', '=', organizationId)
    .where('invitations.email', 'in', emails)
    .where('invitations.status', '=', 'pending')
    .orderBy((where) => where.case().when(hasNotExpiredRow(now)).then(1).else(0).end())
    .orderBy('invitations.expiresAt')
    .execute()
  return rows.map(toDetails)
}

export async function listInvitationDetails(
  database: Kysely<Tables>,
  now: number,
  ids: string[],
): Promise<InvitationDetails[]> {
  if (ids.length === 0) return []
  const rows = await selectDetails(database, now).where('invitations.id', 'in', ids).execute()
  return rows.map(toDetails)
}

type DetailsQuery = ReturnType<typeof selectDetails>
type DetailsRow = Awaited<ReturnType<DetailsQuery['execute']>>[number]

async function findFirst(query: DetailsQuery): Promise<InvitationDetails | undefined> {
  const row = await query.executeTakeFirst()
  return row && toDetails(row)
}

function toDetails(row: DetailsRow): InvitationDetails {
  const { organizationName, organizationSlug, organizationLogo, inviterName, inviterEmail, inviterRole, ...rest } = row
  const { banned, banExpires, inviterServiceRole, isOwnerNeeded, ...invitation } = rest
  const inviterBan = banned === null ? null : { banned, banExpires }
  const organization = { organizationName, organizationSlug, organizationLogo }
  const inviter = { inviterName, inviterEmail, inviterRole, inviterServiceRole, inviterBan }
  return { invitation, ...organization, ...inviter, isOwnerNeeded: Boolean(isOwnerNeeded) }
}

function selectDetails(database: Kysely<Tables>, now: number) {
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
      'organizations.logo as organizationLogo',
      'users.name as inviterName',
      'users.email as inviterEmail',
      'users.banned',
      'users.banExpires',
      'users.role as inviterServiceRole',
      'members.role as inviterRole',
    ])
    .select((where) => isOwnerNeededRow(now)(where).as('isOwnerNeeded'))
}

/** The condition `isOwnerNeeded` for rows of `invitations`. */
export function isOwnerNeededRow(now: number) {
  return (where: ExpressionBuilder<Tables, 'invitations'>) => {
    // These `users` are the owners, and hide the inviter's `users` of the outer query.
    const owner = where
      .selectFrom('users')
      .innerJoin('members as owners', 'owners.userId', 'users.id')
      .select('owners.id')
      .whereRef('owners.organizationId', '=', 'invitations.organizationId')
      .where('owners.role', '=', 'owner')
      .where(isNotBanned(now))
    // The role first: the search for an owner may read many members.
    return where.and([where('invitations.role', '=', 'owner'), where.not(where.exists(owner))])
  }
}
