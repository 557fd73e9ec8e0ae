import { setImmediate as letOtherRequestsRun } from 'node:timers/promises'
import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import { parseOrganizationRole } from '../../../core/access/organization-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import type { InvitationRow, OrganizationRole } from '../../../platform/database/tables.ts'
import { newTimeBudget, withTimeBudget } from '../../../platform/database/time-budget.ts'
import { isUnavailable } from '../../../platform/database/unavailable.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { assertMayInvite } from './invite-member.ts'
import { type DraftInvitation, draftInvitation } from './prepare-invitation.ts'
import { listLikelyIds } from './refusals.ts'
import { saveInvitations } from './save-invitations.ts'

/** Other changes of the organization wait for one batch. */
const BATCH_SIZE = 50

type Outcome = InvitationRow | ApiError

interface Invitations {
  emails: string[]
  role: string
  chargeBatch: () => Promise<void>
  /** @returns the number that the inviter may send, at least one */
  chargeInvitations: (count: number) => Promise<number>
}

/**
 * Each batch commits its invitations with their emails, and has its own time for the database.
 * @throws ApiError ROLE_NOT_FOUND; the errors of `assertMayInvite`; if the first batch fails, its error
 */
export async function inviteMembers(
  context: Context,
  actor: Actor,
  inviter: Caller,
  membership: AuthorizedMembership,
  { emails, role: roleName, chargeBatch, chargeInvitations }: Invitations,
): Promise<Outcome[]> {
  const role = parseOrganizationRole(roleName)
  assertMayInvite(context, inviter, membership, role)
  const outcomes: Outcome[] = []
  while (outcomes.length < emails.length) {
    // SQLite answers without a turn of the event loop, so that other requests would wait for all batches.
    await letOtherRequestsRun()
    const batch = emails.slice(outcomes.length, outcomes.length + BATCH_SIZE)
    try {
      // The request has paid for its first batch.
      if (outcomes.length > 0) await chargeBatch()
      const invite = () => inviteBatch(context, actor, inviter, membership, { emails: batch, role, chargeInvitations })
      outcomes.push(...(await withTimeBudget(newTimeBudget(), invite)))
    } catch (error) {
      if (outcomes.length === 0) throw error
      // The invitations of earlier batches are sent, so the response has to list them.
      const refusal = toRefusal(error)
      return [...outcomes, ...emails.slice(outcomes.length).map(() => refusal)]
    }
  }
  return outcomes
}

/** @returns the outcomes of the addresses before the first one that the inviter's limit refuses */
async function inviteBatch(
  context: Context,
  actor: Actor,
  inviter: Caller,
  membership: AuthorizedMembership,
  { emails, role, chargeInvitations }: Pick<Invitations, 'emails' | 'chargeInvitations'> & { role: OrganizationRole },
): Promise<Outcome[]> {
  const { organization, member } = membership
  const drafts = emails.map((text) => {
    try {
      return draftInvitation(context, { organization, inviter: inviter.user, email: parseEmailAddress(text), role })
    } catch (error) {
      return requireRefusal(error)
    }
  })
  const valid = drafts.filter(isDraft)
  const ids = await listLikelyIds(context, organization.id, valid, { resend: false, granterRole: member.role })
  const likely = valid.filter((_draft, index) => ids[index] !== undefined)
  const allowed = await chargeFor(drafts, likely, chargeInvitations)
  const allowedValid = allowed.filter(isDraft)
  const prepared = allowedValid.map((draft, index) => {
    const id = ids[index]
    return id === undefined ? draft : draft.render(id)
  })
  const saved = await inTransaction(context, actor, async (unit) => {
    const locked = await lockMembershipForUpdate(unit.transaction, membership)
    assertMayInvite(context, inviter, locked, role)
    return saveInvitations(unit, locked.organization, prepared, { resend: false, granterRole: locked.member.role })
  })
  const outcomes = new Map(allowedValid.map((draft, index) => [draft, saved[index]]))
  return allowed.map((draft) => (isDraft(draft) ? (outcomes.get(draft) as Outcome) : draft))
}

/** @returns the drafts before the first one that the limit refuses */
async function chargeFor(
  drafts: (DraftInvitation | ApiError)[],
  likely: DraftInvitation[],
  chargeInvitations: Invitations['chargeInvitations'],
): Promise<(DraftInvitation | ApiError)[]> {
  const allowedCount = likely.length > 0 ? await chargeInvitations(likely.length) : 0
  const firstRefused = likely[allowedCount]
  return firstRefused ? drafts.slice(0, drafts.indexOf(firstRefused)) : drafts
}

function isDraft(draft: DraftInvitation | ApiError): draft is DraftInvitation {
  return !(draft instanceof ApiError)
}

/** @throws the error, unless it refuses one email address */
function requireRefusal(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}

/** @throws the error, unless it is a refusal or the database is unavailable */
function toRefusal(error: unknown): ApiError {
  return isUnavailable(error) ? new ApiError('SERVICE_UNAVAILABLE', { cause: error }) : requireRefusal(error)
}

export function distinctRefusals(outcomes: Outcome[]): ApiError[] {
  const refusals = outcomes.filter((outcome) => outcome instanceof ApiError)
  return [...new Map(refusals.map((refusal) => [refusal.code, refusal])).values()]
}
