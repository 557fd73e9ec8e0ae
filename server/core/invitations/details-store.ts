import type { Kysely } from 'kysely'
import type { InvitationRow, Tables, UserRow } from '../../platform/database/tables.ts'
import type { InvitationReference } from './reference.ts'

export interface InvitationDetails {
  invitation: InvitationRow
  organizationName: string
  organizationSlug: string
  organizationLogo: string | null
  inviterName: string | null
  inviterEmail: string | null
  /** The current role; null when the inviter is not a member any more. */
  inviterRole: string | null
  /** The role in the service; null when the inviter is deleted. */
  inviterServiceRole: string | null
  /** Whether the organization has members. Without any, staff have created it. */
  hasMembers: boolean
  /** Null when the inviter is deleted. */
  inviterBan: Pick<UserRow, 'banned' | 'banExpires'> | null
}

export function findInvitationByReference(
  database: Kysely<Tables>,
  { id, secretHash }: InvitationReference,
): Promise<InvitationDetails | undefined> {
  return findDetails(database, (query) =>
    query.where('invitations.id', '=', id).where('invitations.secretHash', '=', secretHash),
  )
}

export function findInvitation(database: Kysely<Tables>, id: string): Promise<InvitationDetails | undefined> {
  return findDetails(database, (query) => query.where('invitations.id', '=', id))
}

type DetailsQuery = ReturnType<typeof selectDetails>

async function findDetails(
  database: Kysely<Tables>,
  narrow: (query: DetailsQuery) => DetailsQuery,
): Promise<InvitationDetails | undefined> {
  const row = await narrow(selectDetails(database)).executeTakeFirst()
  if (!row) return undefined
  const { organizationName, organizationSlug, organizationLogo, inviterName, inviterEmail, inviterRole, ...rest } = row
  const { banned, banExpires, inviterServiceRole, hasMembers, ...invitation } = rest
  const inviterBan = banned === null ? null : { banned, banExpires }
  const organization = { organizationName, organizationSlug, organizationLogo }
  const inviter = { inviterName, inviterEmail, inviterRole, inviterServiceRole, inviterBan }
  return { invitation, ...organization, ...inviter, hasMembers: Boolean(hasMembers) }
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
      'organizations.logo as organizationLogo',
      'users.name as inviterName',
      'users.email as inviterEmail',
      'users.banned',
      'users.banExpires',
      'users.role as inviterServiceRole',
      'members.role as inviterRole',
    ])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('members as all').select('all.id').whereRef('all.organizationId', '=', 'invitations.organizationId'),
      ).as('hasMembers'),
    )
}
