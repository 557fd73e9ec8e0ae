import type { Kysely } from 'kysely'
import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, prepareEmailFrom, type UnitOfWork } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { listSomeOwners } from '../../../core/memberships/owner-store.ts'
import { countDependents, type DependentCounts, deleteOrganizationRows } from '../../../core/organizations/store.ts'
import { lockSessionsOfOrganizationsForUpdate } from '../../../core/sessions/lock-sessions.ts'
import { chunksOf } from '../../../platform/database/chunks.ts'
import type { OrganizationRow, Tables, UserRow } from '../../../platform/database/tables.ts'
import type { Circumstances } from '../../../platform/mail/circumstances.ts'
import {
  discardEmailsOfOrganizations,
  prepareEmail,
  sendEmails,
  sendEmailUnlessLimited,
} from '../../../platform/mail/outbox.ts'
import { organizationDeletedEmail } from './emails.ts'
import { emptyOrganization, isLargeOrganization } from './empty-organization.ts'

/** The owners with the oldest membership get an email. */
const EMAILED_OWNERS_MAXIMUM = 100

/** Deletes the rows of a large organization in batches first. @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN */
export async function deleteOrganization(
  context: Context,
  actor: Actor,
  { user }: Caller,
  membership: AuthorizedMembership,
): Promise<string> {
  const { id } = membership.organization
  const counts = (await isLargeOrganization(context.database, id))
    ? await emptyOrganization(context, actor, membership)
    : undefined
  const listOwnersToEmail = (database: Kysely<Tables>) =>
    listSomeOwners(database, id, context.now(), EMAILED_OWNERS_MAXIMUM)
  const expected = { organizationName: membership.organization.name, owners: await listOwnersToEmail(context.database) }
  const emailsFor = prepareEmails(context, actor, user, expected)
  await inTransaction(context, actor, async (unit) => {
    const { organization } = await lockMembershipForUpdate(unit.transaction, membership)
    const owners = await listOwnersToEmail(unit.transaction)
    await deleteLockedOrganizations(unit, [organization], counts)
    const { toDeleter, toOthers } = emailsFor({ organizationName: organization.name, owners })
    await sendEmails(unit, toOthers)
    // Limited, because the deleter can create and delete any number of organizations. The others had to join each one.
    for (const email of toDeleter) await sendEmailUnlessLimited(unit, email)
  })
  return id
}

type Owner = Pick<UserRow, 'id' | 'email'>

interface OwnerEmails {
  organizationName: string
  owners: Owner[]
}

function prepareEmails(context: Context, actor: Actor, deleter: UserRow, expected: OwnerEmails) {
  const circumstances = { at: context.now(), ...actor }
  return prepareEmailFrom(expected, ({ organizationName, owners }) => {
    const emailTo = ({ email: recipient }: Owner, seen?: Circumstances) => {
      const deletion = { recipient, organizationName, deleterName: deleter.name }
      return prepareEmail(context, organizationDeletedEmail(deletion, seen))
    }
    const isDeleter = ({ id }: Owner) => id === deleter.id
    return {
      toDeleter: owners.filter(isDeleter).map((owner) => emailTo(owner, circumstances)),
      toOthers: owners.filter((owner) => !isDeleter(owner)).map((owner) => emailTo(owner)),
    }
  })
}

/**
 * The transaction has locked the organizations and authorized the deletion.
 * @param countsBefore of `emptyOrganization`
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
