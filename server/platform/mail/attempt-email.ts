import type { PlatformContext } from '../context.ts'
import { toOneLine } from '../one-line.ts'
import type { Conversation } from './conversation.ts'
import type { LeasedEmail } from './lease-email.ts'
import { classifyFailure, MailServerError, type Verdict } from './mail-server-error.ts'
import { readEmail, UnreadableEmailError } from './read-email.ts'

const ANSWER_LENGTH_MAXIMUM = 1_000

export interface EmailOutcome {
  /**
   * `unreadable` is final. `unknown secret` waits for a process with the right SECRET. `postponed` did not reach the
   * server.
   */
  verdict: 'sent' | 'unreadable' | 'unknown secret' | 'postponed' | Verdict
  /** The response of the mail server, or the reason why there is none. */
  answer: string
}

export async function attemptEmail(
  context: PlatformContext,
  conversation: Conversation,
  email: LeasedEmail,
): Promise<EmailOutcome> {
  try {
    const { hostname } = new URL(context.config.baseUrl)
    const answer = await conversation.send({
      from: context.config.mailFrom,
      to: email.recipient,
      // Every attempt has the same id, so that mail programs detect an email that was sent again after a crash.
      messageId: `<${email.id}@${hostname}>`,
      date: writtenAt(context, email),
      ...readEmail(context, email.encryptedEmail),
    })
    return { verdict: 'sent', answer: shorten(answer) }
  } catch (error) {
    const verdict = verdictOn(error)
    const { stage, command, responseCode } = error as Partial<MailServerError>
    const answer = shorten((error as Error).message)
    context.log.warn(
      { emailId: email.id, attempts: email.attempts, verdict, stage, command, responseCode, reason: answer },
      'an email was not sent',
    )
    return { verdict, answer }
  }
}

/** The time of the text, also of a later attempt (RFC 5322, section 3.6.1). A clock that was ahead must not show. */
function writtenAt({ now }: PlatformContext, { createdAt }: LeasedEmail): Date {
  return new Date(Math.min(createdAt, now()))
}

/** A response may have a megabyte, and the lists of emails show it. */
function shorten(text: string): string {
  return toOneLine(text.slice(0, ANSWER_LENGTH_MAXIMUM))
}

function verdictOn(error: unknown): EmailOutcome['verdict'] {
  if (error instanceof MailServerError) return classifyFailure(error)
  if (error instanceof UnreadableEmailError) return error.isFinal ? 'unreadable' : 'unknown secret'
  return 'postponed'
}
