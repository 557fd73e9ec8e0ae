import type { Kysely } from 'kysely'
import type { UnitOfWork } from '../../../core/in-transaction.ts'
import { updateSessionRow } from '../../../core/sessions/store.ts'
import { SINGLE_USE_TOKEN_MILLISECONDS } from '../../../core/single-use-tokens/token-purposes.ts'
import { createSecondStepChallenge, endFormerChallenge } from '../../../core/two-step/challenge.ts'
import { findVerifiedSecondStep } from '../../../core/two-step/store.ts'
import type { SecondStepMethod, SessionRow, Tables, UserRow } from '../../../platform/database/tables.ts'
import { type PreparedEmail, sendEmailLaterUnlessLimited } from '../../../platform/mail/outbox.ts'

interface FirstStep {
  rememberMe: boolean
  /** The challenge in the cookie, of a sign-in in the same browser that waits for the second step. */
  formerChallengeToken: string | undefined
  /** The user's session in the browser. */
  own: SessionRow | undefined
  /** The email about a sign-in without its second step. Undefined on a known device. */
  notice: PreparedEmail | undefined
}

export interface SecondStepDue {
  challengeToken: string
  /** Undefined when the row of the second step is lost. The password alone must not sign in then. */
  method: SecondStepMethod | undefined
}

/** For a user whose password is right, in a browser that the user does not trust. */
export async function askForSecondStep(
  unit: UnitOfWork,
  user: UserRow,
  { rememberMe, formerChallengeToken, own, notice }: FirstStep,
): Promise<SecondStepDue> {
  const { transaction, context } = unit
  // The email of a repeated first step keeps its time. Otherwise an intruder could postpone it.
  const former = await endFormerChallenge(transaction, context.now(), user.id, formerChallengeToken)
  const noticeId =
    former.noticeId ?? (notice && (await scheduleUnfinishedSignInEmail(unit, { ...notice, recipient: user.email })))
  if (own) await expireWithChallenge(transaction, context.now(), own)
  const challengeToken = await createSecondStepChallenge(transaction, context, user.id, {
    rememberMe,
    ...former,
    ...(noticeId !== undefined && { noticeId }),
    ...(own && { formerSessionId: own.id }),
  })
  await unit.record({ action: 'sign-in.second-step-due', subjectId: user.id, details: { method: 'password' } })
  return { challengeToken, method: (await findVerifiedSecondStep(transaction, user.id))?.method }
}

/**
 * The second step replaces the user's session in the browser, whose apps stay signed in until then. `updatedAt` is set,
 * because a use by an app or a copy could otherwise extend the session before the end of the challenge.
 */
async function expireWithChallenge(transaction: Kysely<Tables>, now: number, { id, expiresAt }: SessionRow) {
  const end = now + SINGLE_USE_TOKEN_MILLISECONDS['second step']
  await updateSessionRow(transaction, id, { updatedAt: now, expiresAt: Math.min(expiresAt, end) })
}

/** The email is sent when the challenge expires. A finished second step deletes it before. */
function scheduleUnfinishedSignInEmail(unit: UnitOfWork, email: PreparedEmail): Promise<string | undefined> {
  return sendEmailLaterUnlessLimited(unit, email, SINGLE_USE_TOKEN_MILLISECONDS['second step'])
}
