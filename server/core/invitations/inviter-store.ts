import type { Kysely } from 'kysely'
import type { MemberRow, OrganizationRole, Tables } from '../../platform/database/tables.ts'
import { isOfKind } from '../../platform/mail/email-kind.ts'
import { isNotBanned } from '../users/banned.ts'
import { hasNotExpiredRow } from './expiry.ts'

export async function readOrganizationsWithInvitationsOf(
  database: Kysely<Tables>,
  now: number,
  inviterId: string,
  organizationIds: string[],
): Promise<Set<string>> {
  const rows = await database
    .selectFrom('invitations')
    .select('organizationId')
    .distinct()
    .where('organizationId', 'in', organizationIds)
    .where('inviterId', '=', inviterId)
    .where('status', '=', 'pending')
    .where(hasNotExpiredRow(now))
    .execute()
  return new Set(rows.map(({ organizationId }) => organizationId))
}

export function findOtherOwner(
  database: Kysely<Tables>,
  now: number,
  { organizationId, userId }: Pick<MemberRow, 'organizationId' | 'userId'>,
): Promise<{ userId: string } | undefined> {
  return database
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .select('members.userId')
    .where('members.organizationId', '=', organizationId)
    .where('members.role', '=', 'owner')
    .where('members.userId', '!=', userId)
    .orderBy((where) => where.case().when(isNotBanned(now)(where)).then(0).else(1).end())
    .orderBy('members.createdAt')
    .orderBy('members.id')
    .limit(1)
    .executeTakeFirst()
}

export async function updateInviter(
  database: Kysely<Tables>,
  now: number,
  { organizationId, userId }: Pick<MemberRow, 'organizationId' | 'userId'>,
  invitationRoles: OrganizationRole[],
  inviterId: string,
): Promise<number> {
  const { numUpdatedRows } = await database
    .updateTable('invitations')
    .set({ inviterId })
    .where('organizationId', '=', organizationId)
    .where('inviterId', '=', userId)
    .where('status', '=', 'pending')
    .where(hasNotExpiredRow(now))
    .where('role', 'in', invitationRoles)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Invitations with an email that waits or can be sent again. */
export async function listUnsentInvitationIdsOf(
  database: Kysely<Tables>,
  inviterIds: string[],
  organizationId?: string,
): Promise<string[]> {
  const rows = await database
    .selectFrom('invitations')
    .select('id')
    .where('inviterId', 'in', inviterIds)
    .$if(organizationId !== undefined, (query) => query.where('organizationId', '=', organizationId ?? ''))
    .where('status', '=', 'pending')
    // A union, because each part has an index of few emails.
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('outbox')
        .select('subjectId as id')
        .where(isOfKind('invitation'))
        .where('sentAt', 'is', null)
        .where('failedAt', 'is', null)
        .unionAll(
          selectFrom('outbox')
            .select('subjectId as id')
            .where(isOfKind('invitation'))
            .where('failedAt', 'is not', null)
            .where('encryptedEmail', 'is not', null),
        )
        .$castTo<{ id: string }>(),
    )
    .execute()
  return rows.map(({ id }) => id)
}
