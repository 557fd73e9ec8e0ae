import MailComposer from 'nodemailer/lib/mail-composer'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import type { SmtpServer } from '../config/smtp-server.ts'
import type { RenderedEmail } from './email.ts'
import { MailServerError } from './mail-server-error.ts'
import type { StrictConnection } from './strict-connection.ts'
import { type Done, takeStep } from './take-step.ts'

export interface OutgoingEmail extends RenderedEmail {
  from: string
  to: string
  messageId: string
  date: Date
}

/** Absence notices would reply to the sender of the email (RFC 3834, section 5). Exchange reads the second header. */
const HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'OOF, AutoReply' }

/**
 * With pipelining, the library stores refusals here. It loses them if the connection ends or hangs before the response
 * to DATA.
 */
interface Envelope {
  mailError?: Error
  rejectedErrors?: Error[]
}

/** @returns the response of the server. @throws MailServerError */
export async function transmitEmail(
  connection: StrictConnection,
  server: SmtpServer,
  email: OutgoingEmail,
  mayWaitLonger: () => boolean,
): Promise<string> {
  const message = new MailComposer({
    ...email,
    subject: toHeader(email.subject),
    to: { name: '', address: email.to },
    headers: HEADERS,
  }).compile()
  const content = message.createReadStream()
  const envelope = message.getEnvelope()
  const send = (done: Done<{ response: string }>) => connection.send(envelope, content, done)
  // An email without a response would be sent again, although the server may have accepted it.
  const extend = () => (connection.isContentSent && mayWaitLonger() ? server.answerMilliseconds : 0)
  const sent = takeStep(connection, server, 'message', send, extend)
  const { response } = await sent.catch((error) => Promise.reject(findRefusal(envelope as Envelope) ?? error))
  return response
}

function findRefusal({ mailError, rejectedErrors }: Envelope): MailServerError | undefined {
  const refusal = mailError ?? rejectedErrors?.[0]
  return refusal && new MailServerError('message', refusal)
}

/** Mail programs would decode a name that looks like an encoded word (RFC 2047), and show a link or a line break. */
function toHeader(subject: string): string {
  return subject.includes('=?') ? encodeWord(subject, 'B', 52) : subject
}
