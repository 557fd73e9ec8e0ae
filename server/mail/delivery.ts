import nodemailer from 'nodemailer'
import type { Context } from '../context.ts'
import { type RepeatedWork, repeat } from '../repeat.ts'
import { leaseLetter, markDelayed, markFailed, markSent, type WaitingLetter } from './outbox.ts'

const POLL_MILLISECONDS = 2_000
/** Longer than any one conversation with a mail server can last. */
const LEASE_MILLISECONDS = 120_000
const SMTP_TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

const FIRST_DELAY_MILLISECONDS = 5_000
const LONGEST_DELAY_MILLISECONDS = 30 * 60_000
/** With these delays: about two days. */
const ATTEMPTS_MAXIMUM = 100

export interface Delivery extends RepeatedWork {
  /** Delivers what is due; resolves when nothing is. */
  deliverDue(): Promise<void>
}

/** Carries letters from the outbox to the mail server. Any number of processes may do so at once. */
export function createDelivery(context: Context, smtpUrl: string): Delivery {
  const transport = nodemailer.createTransport({ url: smtpUrl, ...SMTP_TIMEOUTS })
  const delivering = repeat(context, POLL_MILLISECONDS, 'letters could not be delivered', deliverDue)
  let stopped = false

  async function deliverDue(): Promise<void> {
    while (!stopped) {
      const waiting = await leaseLetter(context, LEASE_MILLISECONDS)
      if (!waiting) return
      await deliver(waiting)
    }
  }

  async function deliver(waiting: WaitingLetter): Promise<void> {
    try {
      const { hostname } = new URL(context.config.baseUrl)
      // The same id at every attempt: should a crash make us send it twice, mail programs can tell.
      const messageId = `<${waiting.id}@${hostname}>`
      const { response } = await transport.sendMail({
        from: context.config.mailFrom,
        to: waiting.recipient,
        messageId,
        ...waiting.letter,
      })
      await markSent(context, waiting.id, response)
    } catch (error) {
      await handleRefusal(context, waiting, error as Error & { responseCode?: number })
    }
  }

  return {
    start: delivering.start,
    deliverDue,
    /** Finishes the letter at hand. */
    async stop() {
      stopped = true
      await delivering.stop()
      transport.close()
    },
  }
}

async function handleRefusal(
  context: Context,
  { id, attempts }: WaitingLetter,
  error: Error & { responseCode?: number },
): Promise<void> {
  const isPermanent = error.responseCode !== undefined && error.responseCode >= 500
  context.log.warn(
    { letterId: id, attempts, responseCode: error.responseCode, reason: error.message },
    'a letter was not taken',
  )
  if (isPermanent || attempts >= ATTEMPTS_MAXIMUM) return markFailed(context, id, error.message)
  await markDelayed(context, id, error.message, delayBefore(attempts, context.randomBytes(1)[0] ?? 0))
}

/** Doubles up to half an hour; the jitter keeps many processes from coming back at once. @param noise 0–255 */
export function delayBefore(attempts: number, noise: number): number {
  const delay = Math.min(FIRST_DELAY_MILLISECONDS * 2 ** (attempts - 1), LONGEST_DELAY_MILLISECONDS)
  return Math.round(delay * (0.75 + (noise / 255) * 0.5))
}
