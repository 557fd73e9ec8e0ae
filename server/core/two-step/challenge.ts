import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { isStillWaiting } from '../../platform/mail/outbox.ts'
import type { Context } from '../context.ts'
import { consumeToken, createToken, findUsableToken, updateTokenData } from '../single-use-tokens/single-use-tokens.ts'

const FAILURES_MAXIMUM = 5

/** A sign-in with the right password that waits for the second step. */
export interface SecondStepChallenge {
  token: string
  userId: string
  rememberMe: boolean
  failureCount: number
  /** The id of the email about an unfinished sign-in. It waits until the challenge ends. */
  noticeId?: string
  formerSessionId?: string
}

/** The data that a challenge takes over from an earlier one of the same browser. */
type Continued = Pick<SecondStepChallenge, 'noticeId' | 'formerSessionId'>

export function createSecondStepChallenge(
  transaction: Kysely<Tables>,
  context: Context,
  userId: string,
  data: Pick<SecondStepChallenge, 'rememberMe'> & Continued,
): Promise<string> {
  return createToken(transaction, context, 'second step', { userId, data: { ...data, failureCount: 0 } })
}

export async function findSecondStepChallenge(
  database: Kysely<Tables>,
  now: number,
  token: string,
): Promise<SecondStepChallenge | undefined> {
  const found = await findUsableToken(database, now, 'second step', token)
  if (!found || found.userId === null) return undefined
  return { token, userId: found.userId, ...found.data }
}

/** @returns the former session, and the id of the email about the unfinished sign-in, if the email still waits */
export async function endFormerChallenge(
  transaction: Kysely<Tables>,
  now: number,
  userId: string,
  token: string | undefined,
): Promise<Continued> {
  const former = token === undefined ? undefined : await findSecondStepChallenge(transaction, now, token)
  if (former?.userId !== userId) return {}
  const { noticeId, formerSessionId } = former
  await consumeToken(transaction, now, 'second step', former.token)
  const isWaiting = noticeId !== undefined && (await isStillWaiting(transaction, now, noticeId))
  return { ...(isWaiting && { noticeId }), ...(formerSessionId !== undefined && { formerSessionId }) }
}

export function isUsedUp({ failureCount }: SecondStepChallenge): boolean {
  return failureCount >= FAILURES_MAXIMUM
}

/** The transaction has locked the user, so concurrent failures are all counted. */
export async function addFailureToChallenge(
  transaction: Kysely<Tables>,
  { token, userId: _, ...data }: SecondStepChallenge,
): Promise<void> {
  await updateTokenData(transaction, 'second step', token, { ...data, failureCount: data.failureCount + 1 })
}
