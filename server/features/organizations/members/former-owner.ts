import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { prepareEmailFrom, type UnitOfWork } from '../../../core/in-transaction.ts'
import { findUser } from '../../../core/users/find-user.ts'
import type { MemberRow, OrganizationRole, OrganizationRow } from '../../../platform/database/tables.ts'
import { type PreparedEmail, prepareEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import { ownershipEndedEmail } from './emails.ts'

interface FormerOwner {
  recipient: string
  organizationName: string
}

type EmailFor = (formerOwner: FormerOwner) => PreparedEmail

/**
 * Prepares the email to an owner who is demoted or removed, before the transaction.
 * @param expected the member, from a look-up without a lock
 * @param role null for a removal
 */
export async function prepareFormerOwnerEmail(
  context: Context,
  { user }: Caller,
  { id: organizationId, name: organizationName }: Pick<OrganizationRow, 'id' | 'name'>,
  expected: MemberRow | undefined,
  role: OrganizationRole | null,
): Promise<EmailFor> {
  const prepare: EmailFor = (formerOwner) =>
    prepareEmail(context, ownershipEndedEmail({ ...formerOwner, organizationId, otherName: user.name }, role))
  const owner = expected?.role === 'owner' ? await findUser(context.database, expected.userId) : undefined
  return owner ? prepareEmailFrom({ recipient: owner.email, organizationName }, prepare) : prepare
}

/** The email has a limit for each organization, so owners who repeat a change can't fill a mailbox. */
export async function notifyFormerOwner(
  unit: UnitOfWork,
  { userId }: MemberRow,
  organizationName: string,
  emailFor: EmailFor,
): Promise<void> {
  const user = await findUser(unit.transaction, userId)
  if (user) await sendEmailUnlessLimited(unit, emailFor({ recipient: user.email, organizationName }))
}
