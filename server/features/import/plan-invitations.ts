import { mayStillInvite } from '../../core/invitations/allowed-inviter.ts'
import { INVITATION_LIFETIME_MILLISECONDS } from '../../core/invitations/expiry.ts'
import { hashToken, newToken, type Randomness } from '../../platform/crypto/tokens.ts'
import type { InvitationRow, MemberRow } from '../../platform/database/tables.ts'
import { toEmailAddress, toId } from './convert-fields.ts'
import { type Finding, toFinding } from './report.ts'
import { toOrganizationRole } from './roles.ts'
import type { SourceInvitation } from './source-rows.ts'
import { readTime } from './source-time.ts'

/** Invitations keep their ids, so that pages that accept by id still work. Their emailed links do not work. */
export function planInvitations(
  randomness: Randomness,
  organizationId: string,
  invitations: SourceInvitation[],
  members: MemberRow[],
  report: (finding: Finding) => void,
): InvitationRow[] {
  const now = randomness.now()
  const open = invitations.filter(
    ({ status, expiresAt }) => status === 'pending' && (readTime(expiresAt) ?? now + 1) > now,
  )
  return open.flatMap((source) => {
    const id = toId(source.id)
    const expiresAt = readTime(source.expiresAt)
    const email = toEmailAddress(source.email)
    const { role, unknown } = toOrganizationRole(source.role)
    const inviter = members.find(({ userId }) => userId === source.inviterId)
    const drop = (problem: string): InvitationRow[] => {
      report(toFinding('invitation', source.id, problem))
      return []
    }
    if (id === undefined || /[^\w-]/.test(id)) return drop('the id has other characters than letters, digits, - and _')
    if (email === undefined) return drop('the email address is not one that Accounts accepts')
    if (expiresAt === undefined) return drop("its expiry can't be read")
    if (!mayStillInvite(inviter?.role ?? null, role)) return drop('the inviter may not invite with this role')
    if (unknown) report(toFinding('invitation', id, `the role "${unknown}" is unknown, and is not imported`))
    report(toFinding('invitation', id, 'the link of the email does not work: an owner sends the invitation again'))
    return [
      {
        id,
        organizationId,
        email,
        role,
        inviterId: inviter?.userId ?? '',
        status: 'pending',
        secretHash: hashToken(newToken(randomness)),
        createdAt: readTime(source.createdAt) ?? now,
        // An expiry after 14 days would count as one of a clock that was ahead.
        expiresAt: Math.min(expiresAt, now + INVITATION_LIFETIME_MILLISECONDS),
      },
    ]
  })
}
