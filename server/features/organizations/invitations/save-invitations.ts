import type { UnitOfWork } from '../../../core/in-transaction.ts'
import { insertInvitations, renewInvitation } from '../../../core/invitations/store.ts'
import type { InvitationRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { lockRecipientLimits } from '../../../platform/mail/email-limits.ts'
import { discardInvitationEmails, sendEmails } from '../../../platform/mail/outbox.ts'
import { addToFacts, emailsOf, readInvitationFacts } from './invitation-facts.ts'
import type { PreparedInvitation } from './prepare-invitation.ts'
import { findRefusal, type Renewal } from './refusals.ts'

interface AllowedInvitation {
  invitation: InvitationRow
  isRenewed: boolean
  prepared: PreparedInvitation
}

/**
 * For a transaction that has locked the organization and authorized the inviter. Takes a dozen statements for any
 * number of invitations, and one more for each renewed invitation, which keeps its id and gets a new link.
 * @returns for each draft the invitation, or the refusal of `findRefusal`
 */
export async function saveInvitations(
  unit: UnitOfWork,
  { id: organizationId, name: organizationName }: { id: string; name: string },
  prepared: PreparedInvitation[],
  renewal: Renewal,
): Promise<(InvitationRow | ApiError)[]> {
  if (prepared.length === 0) return []
  const { transaction, context } = unit
  const waits = await lockRecipientLimits(transaction, context.now(), 'invitation', emailsOf(prepared))
  const facts = await readInvitationFacts(transaction, context, organizationId, prepared, waits)
  const allowed: AllowedInvitation[] = []
  const outcomes = prepared.map((one) => {
    const refusal = findRefusal(context, facts, one.draft, renewal)
    if (refusal) return refusal
    const { invitation, isRenewed } = addToFacts(facts, one.draft, renewal.resend)
    allowed.push({ invitation, isRenewed, prepared: one })
    return invitation
  })
  await save(unit, organizationName, allowed)
  return outcomes
}

/** `saveInvitations` for one invitation. @throws ApiError the refusal */
export async function saveInvitation(
  unit: UnitOfWork,
  organization: { id: string; name: string },
  prepared: PreparedInvitation,
  renewal: Renewal,
): Promise<InvitationRow> {
  const [outcome] = await saveInvitations(unit, organization, [prepared], renewal)
  if (!outcome || outcome instanceof ApiError) throw outcome
  return outcome
}

async function save(unit: UnitOfWork, organizationName: string, allowed: AllowedInvitation[]): Promise<void> {
  const { transaction, context } = unit
  const renewed = allowed.filter(({ isRenewed }) => isRenewed).map(({ invitation }) => invitation)
  for (const invitation of renewed) await renewInvitation(transaction, invitation)
  await discardInvitationEmails(
    transaction,
    context.now(),
    renewed.map(({ id }) => id),
  )
  const added = allowed.filter(({ isRenewed }) => !isRenewed)
  await insertInvitations(
    transaction,
    added.map(({ invitation }) => invitation),
  )
  await sendEmails(
    unit,
    allowed.map(({ invitation, prepared }) => prepared.emailFor({ id: invitation.id, organizationName })),
  )
  await unit.recordAll(
    allowed.map(({ invitation: { id, organizationId, role }, isRenewed }) => ({
      action: 'invitation.created',
      subjectId: id,
      organizationId,
      details: { role, resend: isRenewed },
    })),
  )
}
