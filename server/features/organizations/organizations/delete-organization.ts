import type { Kysely } from 'kysely'
import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import { emptyLargeClients, hasLargeClient } from '../../../core/client-management/empty-client.ts'
import { GRANTS_PER_TRANSACTION_MAXIMUM, hasMoreGrantsOfMembers } from '../../../core/client-sessions/grant-store.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, prepareEmailFrom, type UnitOfWork } from '../../../core/in-transaction.ts'
import { discardEmailsOfFormerMembers } from '../../../core/invitations/pass-invitations.ts'
import { deleteSomeInvitations } from '../../../core/invitations/store.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { listSomeOwners } from '../../../core/memberships/owner-store.ts'
import { deleteMembers, listSomeMembers } from '../../../core/memberships/store.ts'
import { hasMoreRows } from '../../../core/organizations/large-store.ts'
import { countDependents, type DependentCounts, deleteOrganizationRows } from '../../../core/organizations/store.ts'
import {
  clearActiveOrganizationOf,
  clearSomeActiveOrganizations,
  isActiveInMoreThan,
} from '../../../core/sessions/active-organization.ts'
import { lockSessionsOfOrganizationsForUpdate } from '../../../core/sessions/lock-sessions.ts'
import { inTimedBatches } from '../../../platform/background/in-batches.ts'
import { chunksOf } from '../../../platform/database/chunks.ts'
import type { OrganizationRow, Tables, UserRow } from '../../../platform/database/tables.ts'
import {
  discardEmailsOfOrganizations,
  discardInvitationEmails,
  prepareEmail,
  sendEmails,
} from '../../../platform/mail/outbox.ts'
import { organizationDeletedEmail } from './emails.ts'

/** Small, because SQLite answers no request during a batch. */
const BATCH_SIZE = 500
/** The owners who get an email, those with the oldest membership first. */
const TOLD_OWNERS_MAXIMUM = 100

/**
 * Deletes the rows of a large organization in batches first, because one transaction would take longer than a statement
 * may. The owners get an email.
 * @returns the id of the deleted organization
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN
 */
export async function deleteOrganization(
  context: Context,
  actor: Actor,
  { user }: Caller,
  membership: AuthorizedMembership,
): Promise<string> {
  const { id } = membership.organization
  const counts = (await isLargeOrganization(context, id))
    ? await emptyOrganization(context, actor, membership)
    : undefined
  const toldIn = (database: Kysely<Tables>) => listSomeOwners(database, id, context.now(), TOLD_OWNERS_MAXIMUM)
  const expected = { organizationName: membership.organization.name, owners: await toldIn(context.database) }
  const emailsFor = prepareEmails(context, actor, user, expected)
  await inTransaction(context, actor, async (unit) => {
    const { organization } = await lockMembershipForUpdate(unit.transaction, membership)
    const owners = await toldIn(unit.transaction)
    await sendEmails(unit, emailsFor({ organizationName: organization.name, owners }))
    await deleteLockedOrganizations(unit, [organization], counts)
  })
  return id
}

interface Told {
  organizationName: string
  owners: Pick<UserRow, 'id' | 'email'>[]
}

function prepareEmails(context: Context, actor: Actor, deleter: UserRow, expected: Told) {
  const circumstances = { at: context.now(), ...actor }
  return prepareEmailFrom(expected, ({ organizationName, owners }) =>
    owners.map(({ id, email: recipient }) => {
      const deletion = { recipient, organizationName, deleterName: deleter.name }
      return prepareEmail(context, organizationDeletedEmail(deletion, id === deleter.id ? circumstances : undefined))
    }),
  )
}

async function isLargeOrganization({ database }: Context, id: string): Promise<boolean> {
  return (
    (await isActiveInMoreThan(database, id, BATCH_SIZE)) ||
    (await hasMoreRows(database, 'members', id, BATCH_SIZE)) ||
    (await hasMoreRows(database, 'invitations', id, BATCH_SIZE)) ||
    (await hasMoreGrantsOfMembers(database, id, GRANTS_PER_TRANSACTION_MAXIMUM)) ||
    (await hasLargeClient(database, id))
  )
}

/**
 * The owners stay until the end, so each of them can repeat an interrupted deletion. Each batch authorizes the caller
 * again: the role may change between two batches, and the session may be revoked. The exception is an app: it is
 * disabled first, and then all of its rows are deleted.
 * @returns the counts before the first deletion
 */
async function emptyOrganization(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
): Promise<DependentCounts> {
  const { id } = membership.organization
  const authorized = <Result>(work: (unit: UnitOfWork, organization: OrganizationRow) => Promise<Result>) =>
    inTransaction(context, actor, async (unit) => {
      const { organization } = await lockMembershipForUpdate(unit.transaction, membership)
      return work(unit, organization)
    })
  const inAuthorizedBatches = (
    deleteSome: (transaction: Kysely<Tables>, id: string, limit: number) => Promise<number>,
  ) => inTimedBatches(BATCH_SIZE, (limit) => authorized(({ transaction }) => deleteSome(transaction, id, limit)))

  const counts = await authorized(async ({ transaction, record }, { slug }) => {
    const counts = (await countDependents(transaction, [id]))(id)
    await record({ action: 'organization.deletion-started', organizationId: id, details: { slug, ...counts } })
    return counts
  })
  await inAuthorizedBatches(async (transaction, id, limit) => {
    const count = await clearSomeActiveOrganizations(transaction, id, limit)
    // Members may go on to set it active, so there may always be one more. The last transaction clears the rest.
    return count < limit ? 0 : count
  })
  await emptyLargeClients(context, actor, membership)
  await inAuthorizedBatches((transaction, id, limit) => endSomeMemberships(context, transaction, id, limit))
  await inAuthorizedBatches((transaction, id, limit) => endSomeInvitations(context, transaction, id, limit))
  return counts
}

/** Gives up the waiting emails too, because the deletion may stop later. */
async function endSomeInvitations(
  { now }: Context,
  transaction: Kysely<Tables>,
  id: string,
  limit: number,
): Promise<number> {
  const ids = await deleteSomeInvitations(transaction, id, limit)
  await discardInvitationEmails(transaction, now(), ids)
  return ids.length
}

async function endSomeMemberships(
  { now }: Context,
  transaction: Kysely<Tables>,
  id: string,
  limit: number,
): Promise<number> {
  const members = await listSomeMembers(transaction, id, limit)
  if (members.length === 0) return 0
  const userIds = members.map(({ userId }) => userId)
  // Locks the sessions before the memberships are deleted, because a trigger then deletes the sessions at clients.
  await clearActiveOrganizationOf(transaction, id, userIds)
  await deleteMembers(
    transaction,
    members.map((member) => member.id),
  )
  await discardEmailsOfFormerMembers(transaction, now(), userIds, id)
  return members.length
}

/**
 * For a transaction that has locked the organizations and authorized the deletion.
 * @param countsBefore the counts of the one organization, if its rows were deleted in batches before
 */
export async function deleteLockedOrganizations(
  { transaction, context, recordAll }: UnitOfWork,
  organizations: Pick<OrganizationRow, 'id' | 'slug'>[],
  countsBefore?: DependentCounts,
): Promise<void> {
  for (const chunk of chunksOf(organizations)) {
    const ids = chunk.map(({ id }) => id)
    await lockSessionsOfOrganizationsForUpdate(transaction, ids)
    const counts = await countDependents(transaction, ids)
    await deleteOrganizationRows(transaction, ids)
    await discardEmailsOfOrganizations(transaction, context.now(), ids)
    await recordAll(
      chunk.map(({ id, slug }) => ({
        action: 'organization.deleted',
        organizationId: id,
        details: { slug, ...(countsBefore ?? counts(id)) },
      })),
    )
  }
}
