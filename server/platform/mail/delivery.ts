import { setTimeout as wait } from 'node:timers/promises'
import { createBackoff, delayBefore } from '../background/backoff.ts'
import { type PeriodicWork, runPeriodically } from '../background/run-periodically.ts'
import type { SmtpServer } from '../config/smtp-server.ts'
import type { PlatformContext } from '../context.ts'
import { attemptEmail, type Outcome } from './attempt-email.ts'
import { type Conversation, createConversation } from './conversation.ts'
import {
  type LeasedEmail,
  LONGEST_DELAY_MILLISECONDS,
  leaseEmail,
  markDelayed,
  markFailed,
  markSent,
} from './lease-email.ts'
import { NOT_AVAILABLE } from './sent-emails.ts'

const POLL_MILLISECONDS = 2_000
/** Several, because one may hang. Few servers accept more from one client. */
const CONVERSATIONS_MAXIMUM = 5
/** About two days, with delays of up to half an hour. */
const ATTEMPTS_MAXIMUM = 100
/** The process stops without waiting longer for a response. */
const STOP_MILLISECONDS = 5_000
/** Verdicts without a response of the server. */
const NOT_JUDGED: Outcome['verdict'][] = ['unreadable', 'unknown secret', 'postponed']
const UNKNOWN_SECRET_MILLISECONDS = 15_000
const MARKING_WAITS_MILLISECONDS = [500, 2_000, 10_000]

export interface Delivery extends PeriodicWork {
  /** Resolves when no email is due, or the mail server is not available. */
  deliverDue(): Promise<void>
}

/** Sends the emails of the outbox. Several processes may do so concurrently. */
export function createDelivery(context: PlatformContext, server: SmtpServer): Delivery {
  const conversations = new Map<Conversation, Promise<void>>()
  const backoff = createBackoff(context)
  let isStopped = false

  /** Does not wait for the conversations, so that one that hangs does not delay new emails. */
  async function startConversations(): Promise<void> {
    while (conversations.size < (backoff.isOnProbation() ? 1 : CONVERSATIONS_MAXIMUM)) {
      const email = await leaseNextEmail()
      if (!email) return
      const conversation = createConversation(server)
      const ended = converse(conversation, email)
        .catch((error) => context.log.error({ err: error }, 'emails could not be delivered'))
        .then(() => conversation.close())
        .then(() => void conversations.delete(conversation))
      conversations.set(conversation, ended)
    }
  }

  async function leaseNextEmail(): Promise<LeasedEmail | undefined> {
    return isStopped || backoff.isPaused() ? undefined : leaseEmail(context)
  }

  async function converse(conversation: Conversation, first: LeasedEmail): Promise<void> {
    let email: LeasedEmail | undefined = first
    while (email && (await deliver(conversation, email))) email = await leaseNextEmail()
  }

  /** @returns whether the conversation can send another email */
  async function deliver(conversation: Conversation, email: LeasedEmail): Promise<boolean> {
    const judgedBefore = backoff.judgedCount()
    const outcome = await attemptEmail(context, conversation, email)
    const isAvailable = backoff.judgedCount() > judgedBefore
    const verdict = outcome.verdict === 'unclear' ? (isAvailable ? 'deferred' : 'unavailable') : outcome.verdict
    context.totals.increment('accounts_email_attempts_total', verdict)
    if (verdict === 'unavailable') {
      const delayMilliseconds = isAvailable ? delayBefore(context, 1, LONGEST_DELAY_MILLISECONDS) : pause(outcome)
      const { attempts } = email
      await markDelayed(context, email, { answer: `${NOT_AVAILABLE}: ${outcome.answer}`, attempts, delayMilliseconds })
      return false
    }
    if (!NOT_JUDGED.includes(verdict)) backoff.recordJudgement()
    await storeOutcome(context, email, { verdict, answer: outcome.answer })
    return true
  }

  function pause({ answer }: Outcome): number {
    if (!backoff.isPaused()) context.log.error({ reason: answer }, 'the mail server is not available, so emails wait')
    return backoff.recordFailure()
  }

  const polling = runPeriodically(context, POLL_MILLISECONDS, 'emails could not be delivered', startConversations)
  return {
    start: polling.start,
    async deliverDue() {
      await startConversations()
      await Promise.all(conversations.values())
    },
    /** Waits for the emails that are being sent, up to STOP_MILLISECONDS. */
    async stop() {
      isStopped = true
      await polling.stop()
      const timer = setTimeout(() => {
        for (const conversation of conversations.keys()) conversation.close()
      }, STOP_MILLISECONDS)
      await Promise.all(conversations.values())
      clearTimeout(timer)
    },
  }
}

async function storeOutcome(context: PlatformContext, email: LeasedEmail, { verdict, answer }: Outcome): Promise<void> {
  if (verdict === 'sent') return markSentWithRetries(context, email, answer)
  if (verdict === 'unknown secret') {
    // This counts no attempt, because the email waits for a process with that SECRET.
    const { attempts } = email
    return markDelayed(context, email, { answer, attempts, delayMilliseconds: UNKNOWN_SECRET_MILLISECONDS })
  }
  const attempts = email.attempts + 1
  const isFinal = verdict === 'refused' || verdict === 'unreadable'
  if (isFinal || attempts >= ATTEMPTS_MAXIMUM) return markFailed(context, email, answer)
  const delayMilliseconds = delayBefore(context, attempts, LONGEST_DELAY_MILLISECONDS)
  await markDelayed(context, email, { answer, attempts, delayMilliseconds })
}

/** Waits for an unavailable database, because an email that is not marked as sent is sent again. */
async function markSentWithRetries(context: PlatformContext, email: LeasedEmail, answer: string): Promise<void> {
  for (const waitMilliseconds of MARKING_WAITS_MILLISECONDS) {
    try {
      return await markSent(context, email, answer)
    } catch (error) {
      context.log.error({ err: error, emailId: email.id }, 'a sent email could not be marked as sent')
      await wait(waitMilliseconds)
    }
  }
  await markSent(context, email, answer)
}
