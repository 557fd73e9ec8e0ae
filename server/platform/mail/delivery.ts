import { setImmediate as turn } from 'node:timers/promises'
import { createBackoff, delayBeforeRetry } from '../background/backoff.ts'
import { type PeriodicWork, runPeriodically } from '../background/run-periodically.ts'
import type { SmtpServer } from '../config/smtp-server.ts'
import type { PlatformContext } from '../context.ts'
import { attemptEmail, type EmailOutcome } from './attempt-email.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { NOT_AVAILABLE } from './email-deliveries.ts'
import { type LeasedEmail, LONGEST_DELAY_MILLISECONDS, leaseEmail, markDelayed, renewLease } from './lease-email.ts'
import { storeEmailOutcome } from './store-email-outcome.ts'

const POLL_MILLISECONDS = 2_000
/** Several conversations, because one may hang. Few servers accept more connections from one client. */
const CONVERSATIONS_MAXIMUM = 5
/** Additional conversations, for slow responses to the content, which one recipient can cause. Others must not wait. */
const SLOW_CONVERSATIONS_MAXIMUM = 15
/** Unclear failures of this many domains concern the service. One user can have all email addresses of a domain. */
const UNCLEAR_DOMAINS = 3
/** Several renewals fit into a lease, because the database may be unavailable for a moment. */
const RENEWAL_MILLISECONDS = 30_000
const STOP_MILLISECONDS = 5_000
const WITHOUT_ANSWER: EmailOutcome['verdict'][] = ['unreadable', 'unknown secret', 'postponed']

export interface Delivery extends PeriodicWork {
  /** Resolves when no email is due, or the mail server is not available. */
  deliverDue(): Promise<void>
}

export function createDelivery(
  context: PlatformContext,
  server: SmtpServer,
  { renewalMilliseconds = RENEWAL_MILLISECONDS, stopMilliseconds = STOP_MILLISECONDS } = {},
): Delivery {
  const conversations = new Map<Conversation, Promise<void>>()
  const slowConversations = new Set<Conversation>()
  const backoff = createBackoff(context)
  /** The domains with unclear failures since the last accepted email. */
  const unclearDomains = new Set<string>()
  let isStopped = false
  /** Connections that `stop` closes must not count as failures of the mail server. */
  let areConnectionsClosed = false

  /** A hanging conversation must not delay new emails. */
  async function startConversations(): Promise<void> {
    while (conversations.size - slowConversations.size < (backoff.isOnProbation() ? 1 : CONVERSATIONS_MAXIMUM)) {
      const email = await leaseNextEmail()
      if (!email) return
      const conversation: Conversation = createConversation(server, () => mayWaitLonger(conversation))
      const ended = converse(conversation, email)
        .catch((error) => context.log.error({ err: error }, 'emails could not be delivered'))
        .then(() => conversation.close())
        .then(() => {
          conversations.delete(conversation)
          slowConversations.delete(conversation)
        })
      conversations.set(conversation, ended)
    }
  }

  function mayWaitLonger(conversation: Conversation): boolean {
    if (slowConversations.size >= SLOW_CONVERSATIONS_MAXIMUM) return false
    slowConversations.add(conversation)
    return true
  }

  async function leaseNextEmail(): Promise<LeasedEmail | undefined> {
    return isStopped || backoff.isPaused() ? undefined : leaseEmail(context)
  }

  /** A slow conversation sends no other email, because another conversation has taken its place. */
  async function converse(conversation: Conversation, first: LeasedEmail): Promise<void> {
    let email: LeasedEmail | undefined = first
    while (email && (await deliverLeased(conversation, email)) && !slowConversations.has(conversation))
      email = await leaseNextEmail()
  }

  /** The lease lasts until the outcome is stored, so that no other process sends the email. */
  async function deliverLeased(conversation: Conversation, email: LeasedEmail): Promise<boolean> {
    const renewal = setInterval(() => {
      renewLease(context, email).catch((error) =>
        context.log.error({ err: error, emailId: email.id }, 'the lease of an email could not be renewed'),
      )
    }, renewalMilliseconds)
    return deliver(conversation, email).finally(() => clearInterval(renewal))
  }

  /** @returns whether the conversation can send another email */
  async function deliver(conversation: Conversation, email: LeasedEmail): Promise<boolean> {
    const answersBefore = backoff.responseCount()
    const outcome = await attemptEmail(context, conversation, email)
    const isInterrupted = areConnectionsClosed && outcome.verdict === 'unavailable'
    context.totals.increment('accounts_email_attempts_total', isInterrupted ? 'postponed' : outcome.verdict)
    if (outcome.verdict === 'unavailable') {
      const isAvailable = backoff.responseCount() > answersBefore
      const delayMilliseconds =
        isInterrupted || isAvailable ? delayBeforeRetry(context, 1, LONGEST_DELAY_MILLISECONDS) : pauseDelivery(outcome)
      const { attempts } = email
      await markDelayed(context, email, { answer: `${NOT_AVAILABLE}: ${outcome.answer}`, attempts, delayMilliseconds })
      return false
    }
    recordServerState(email, outcome)
    await storeEmailOutcome(context, email, outcome)
    // These emails wait for no server. On SQLite, no request would be answered until all of them are processed.
    if (WITHOUT_ANSWER.includes(outcome.verdict)) await turn()
    return true
  }

  /** One recipient can cause unclear failures, so only failures in several domains pause all emails. */
  function recordServerState({ recipient }: LeasedEmail, outcome: EmailOutcome): void {
    if (outcome.verdict === 'unclear') {
      unclearDomains.add(domainOf(recipient))
      if (unclearDomains.size >= UNCLEAR_DOMAINS && !areConnectionsClosed) pauseDelivery(outcome)
      return
    }
    if (outcome.verdict === 'sent') unclearDomains.clear()
    if (!WITHOUT_ANSWER.includes(outcome.verdict)) backoff.recordResponse()
  }

  /** @returns milliseconds */
  function pauseDelivery({ answer }: EmailOutcome): number {
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
    /** An email without a response is sent again: the mail program can detect the second one, but not a lost one. */
    async stop() {
      isStopped = true
      await polling.stop()
      const timer = setTimeout(() => {
        areConnectionsClosed = true
        for (const conversation of conversations.keys()) conversation.close()
      }, stopMilliseconds)
      await Promise.all(conversations.values())
      clearTimeout(timer)
    },
  }
}

/** The last two labels, because a domain has any number of subdomains. */
function domainOf(recipient: string): string {
  return recipient.split(/[@.]/).slice(-2).join('.')
}
