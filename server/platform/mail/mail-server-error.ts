/** `session`: connecting, greeting, encryption and sign-in. `message`: from the sender's address to the last line. */
export type Stage = 'session' | 'message'

export type Verdict =
  /** The server refuses this recipient or this message permanently. */
  | 'refused'
  /** The server refuses this recipient or this message temporarily. */
  | 'deferred'
  /** The server can't be reached, or refuses every email of ours. */
  | 'unavailable'
  /** The connection broke, or the refusal may concern the service. The emails to other domains show which. */
  | 'unclear'

const NOT_ENCRYPTED =
  'The conversation could not be encrypted, so nothing was sent (see SMTP_URL in the documentation).'

export class MailServerError extends Error {
  override name = 'MailServerError'
  stage: Stage
  /** The SMTP command that failed, such as `RCPT TO`; `CONN` when the connection failed. */
  command: string | undefined
  response: string | undefined
  /** Only 4xx and 5xx. Any other code answers no command of ours, so the conversation can't continue. */
  responseCode: number | undefined

  constructor(stage: Stage, cause: Error & { command?: string; response?: string; responseCode?: number | false }) {
    super(cause.command === 'STARTTLS' ? `${NOT_ENCRYPTED} ${cause.message}` : cause.message, { cause })
    this.stage = stage
    this.command = cause.command
    this.response = cause.response
    const code = Number(cause.responseCode)
    this.responseCode = code >= 400 && code <= 599 ? code : undefined
  }

  /** Whether the server responded, so that the conversation can continue. */
  get isReply(): boolean {
    return this.stage === 'message' && this.responseCode !== undefined && this.responseCode !== 421
  }
}

/** Authentication, and commands out of order (RFC 5321, section 4.2.3; RFC 4954, section 6). */
const CODES_ABOUT_US = [503, 530, 534, 535, 538]

/** RFC 3463, section 3: bad sender, mail system, congestion, protocol, security and policy. */
const ENHANCED_ABOUT_US = /^5\d\d[ -]5\.(1\.[78]|3\.[0-35]|4\.5|5\.\d+|7\.\d+)\b/
/** After the content, `5.7.0` and `5.7.1` say that the message looks like spam. */
const MESSAGE_REFUSED = /^5\d\d[ -]5\.7\.[01]\b/
/** For servers without enhanced codes (`rcpthosts`: qmail). Postfix names a table if only the recipient is unknown. */
const RELAY_DENIED = /\brelay(?! recipient table)|\brcpthosts\b/i
/**
 * Postfix and Exim refuse the sender at RCPT TO, hosted relays after the content. The words are of Postfix, Exim ("550
 * Sender verify failed"), hMailServer, Amazon SES, SendGrid and Microsoft 365.
 */
const SENDER_REFUSED =
  /\b(sender|helo command|from address|not verified|authentication|administrative prohibition)\b|\bSendAsDenied/i
/** The server refuses each new sender and recipient once. Postfix may call this a rejected sender. */
const GREYLISTED = /\bgr[ae]y-?list/i
const ADDRESSES = /\S+@\S+/g
/** A response may have a megabyte, in which the search would be slow. */
const SEARCHED_LENGTH = 1_000

/** Only a refusal of this recipient or this message is final. */
export function classifyFailure({ stage, command, responseCode, response = '' }: MailServerError): Verdict {
  if (stage === 'session' || command === 'MAIL FROM') return 'unavailable'
  // With CONN, the line has no end, or no command of ours expects it.
  if (responseCode === undefined || responseCode === 421 || command === 'CONN') return 'unclear'
  const text = response.slice(0, SEARCHED_LENGTH)
  const isTemporary = responseCode < 500
  if (isTemporary && GREYLISTED.test(text)) return 'deferred'
  if (isAboutUs(command, responseCode, text)) return 'unclear'
  return isTemporary ? 'deferred' : 'refused'
}

function isAboutUs(command: string | undefined, responseCode: number, response: string): boolean {
  if (CODES_ABOUT_US.includes(responseCode)) return true
  if (command === 'DATA' && MESSAGE_REFUSED.test(response)) return false
  // An email address may contain such a word.
  const words = response.replace(ADDRESSES, '')
  if (ENHANCED_ABOUT_US.test(response) || SENDER_REFUSED.test(words)) return true
  return command === 'RCPT TO' && RELAY_DENIED.test(words)
}
