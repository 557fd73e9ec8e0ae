import type { AuditAction } from '../../../core/audit/actions.ts'
import { addNames, listRecordedEvents, type NamedEvent } from '../../../core/audit/list-events.ts'
import type { Context } from '../../../core/context.ts'
import { listPasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import { budgetOfAccount } from '../../../core/credentials/password-budgets.ts'
import { findPasswordTime } from '../../../core/credentials/password-store.ts'
import { isInviterAllowed } from '../../../core/invitations/allowed-inviter.ts'
import { type InvitationDetails, listOpenInvitations } from '../../../core/invitations/details-store.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import type { PasskeyRow, UserRow } from '../../../platform/database/tables.ts'
import { type ListedEmail, listEmails } from '../../../platform/mail/list-emails.ts'
import { readTwoStep, type TwoStepFacts } from './read-two-step.ts'

/** Times are epoch milliseconds. */
export interface SignInFacts {
  email: string
  user: UserRow | undefined
  passwordChangedAt: number | undefined
  passkeys: PasskeyRow[]
  guessesEndAt: number | undefined
  twoStep: TwoStepFacts | undefined
  lastSignIn: NamedEvent | undefined
  lastFailure: NamedEvent | undefined
  lastBan: NamedEvent | undefined
  lastEmail: ListedEmail | undefined
  openInvitation: InvitationDetails | undefined
}

export async function readSignInFacts(
  context: Context,
  rateLimits: RateLimits,
  email: string,
  user: UserRow | undefined,
): Promise<SignInFacts> {
  const { slowReads, config, now } = context
  const [lastEmail] = await listEmails(slowReads, now(), { recipient: email }, { limit: 1, offset: 0 })
  const open = await listOpenInvitations(slowReads, now(), email)
  const findLatest = (action: AuditAction) => findLatestEvent(context, user?.id, action)
  return {
    email,
    user,
    passwordChangedAt: user && (await findPasswordTime(slowReads, user.id)),
    passkeys: user ? await listPasskeysOfUser(slowReads, user.id) : [],
    guessesEndAt: await rateLimits.findWindowEnd(budgetOfAccount(config, email)),
    twoStep: user && (await readTwoStep(context, user)),
    lastSignIn: await findLatest('session.started'),
    lastFailure: newest(await findLatest('sign-in.failed'), await findLatest('two-factor.failed')),
    lastBan: await findLatest('user.banned'),
    lastEmail,
    openInvitation: open.find((details) => isInviterAllowed(details, now())),
  }
}

async function findLatestEvent(
  { slowReads: database }: Context,
  subjectId: string | undefined,
  action: AuditAction,
): Promise<NamedEvent | undefined> {
  if (subjectId === undefined) return undefined
  const events = await listRecordedEvents({ database }, { subjectId, action }, { limit: 1, offset: 0 })
  const [event] = await addNames({ database }, events)
  return event
}

function newest(one: NamedEvent | undefined, other: NamedEvent | undefined): NamedEvent | undefined {
  return (one?.createdAt ?? 0) > (other?.createdAt ?? 0) ? one : other
}
