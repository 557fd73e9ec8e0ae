import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
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

interface Change {
  /** The member, from a look-up without a lock. */
  expected: MemberRow | undefined
  /** Null for a removal. */
  role: OrganizationRole | null
}

/**
 * If the member becomes an owner concurrently, the transaction prepares the email. An email to the caller has the
 * circumstances, because an intruder may be signed in.
 */
export async function prepareFormerOwnerEmail(
  context: Context,
  actor: Actor,
  { user }: Caller,
  { id: organizationId, name: organizationName }: Pick<OrganizationRow, 'id' | 'name'>,
  { expected, role }: Change,
): Promise<EmailFor> {
  const circumstances = expected?.userId === user.id ? { at: context.now(), ...actor } : undefined
  const prepare: EmailFor = (formerOwner) => {
    const change = { ...formerOwner, organizationId, otherName: user.name }
    return prepareEmail(context, ownershipEndedEmail(change, role, circumstances))
  }
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
