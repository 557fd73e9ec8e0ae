import MailComposer from 'nodemailer/lib/mail-composer'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SmtpServer } from '../config/smtp-server.ts'
import type { RenderedEmail } from './email.ts'
import { MailServerError, type Stage } from './mail-server-error.ts'

export interface OutgoingEmail extends RenderedEmail {
  from: string
  to: string
  messageId: string
}

/** One connection to the mail server, which sends emails one after the other. */
export interface Conversation {
  /** @returns the response of the server. @throws MailServerError */
  send(email: OutgoingEmail): Promise<string>
  /** An email that is being sent fails. */
  close(): void
}

/** Servers limit the emails of one connection; Exchange accepts 20. */
const EMAILS_PER_CONNECTION = 20
/** Absence notices would reply to the sender of the email (RFC 3834, section 5). Exchange reads the second header. */
const HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'OOF, AutoReply' }
const NO_SIGN_IN = 'The mail server offers no sign-in, and SMTP_URL has a user or a password'

/** @param mayWaitLonger asked at the deadline of an email whose content is sent, and still without a response */
export function createConversation(server: SmtpServer, mayWaitLonger = () => true): Conversation {
  let connection: SMTPConnection | undefined
  let emailCount = 0
  let isSending = false

  async function connect(): Promise<SMTPConnection> {
    if (connection && !connection.destroyed && emailCount < EMAILS_PER_CONNECTION) return connection
    if (connection) quit(connection)
    connection = new SMTPConnection(server)
    emailCount = 0
    await openConnection(connection, server)
    return connection
  }

  async function send(email: OutgoingEmail): Promise<string> {
    const open = await connect()
    emailCount += 1
    isSending = true
    try {
      return await sendEmail(open, server, email, mayWaitLonger)
    } catch (error) {
      // Without the reset, the server still expects the rest of this email and refuses the next one.
      if (error instanceof MailServerError && error.isReply && (await reset(open, server))) throw error
      open.close()
      // A server may limit the emails of a connection. This email is then sent on a new connection.
      if (emailCount > 1 && takesNoMoreEmails(error, open)) return send(email)
      throw error
    } finally {
      isSending = false
    }
  }

  function close(): void {
    if (isSending) connection?.close()
    else if (connection) quit(connection)
  }

  return { send, close }
}

/** Without QUIT (RFC 5321, section 4.1.1.10), servers log lost connections, which fail2ban, for example, counts. */
function quit(connection: SMTPConnection): void {
  if (connection.stage === 'connected') connection.quit()
  connection.close()
}

/** The server ends this connection before the content of the email, with 421 at MAIL FROM or without a response. */
function takesNoMoreEmails(error: unknown, { lastServerResponse }: SMTPConnection): boolean {
  if (!(error instanceof MailServerError)) return false
  if (error.command === 'CONN') return lastServerResponse === false
  return error.command === 'MAIL FROM' && error.responseCode === 421
}

/**
 * Connects, authenticates and names the sender, without an email: servers with a full queue or a required encryption say
 * so at MAIL FROM.
 * @throws MailServerError
 */
export async function checkMailServer(server: SmtpServer, from: string): Promise<{ isEncrypted: boolean }> {
  const connection = new SMTPConnection(server)
  const unconnected = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    if (connection.stage === 'init') unconnected.reject(noConnection(server))
  }, server.connectMilliseconds)
  try {
    await Promise.race([openConnection(connection, server), unconnected.promise])
    await takeStep<void>(connection, server, 'message', (done) => sendMailFrom(connection, from, done))
    await reset(connection, server)
    return { isEncrypted: connection.secure }
  } finally {
    clearTimeout(timer)
    quit(connection)
  }
}

/** The library can't send a single command. Its version is pinned, and a test compares the command with an email's. */
type Commands = { _responseActions: ((reply: string) => void)[]; _sendCommand: (command: string) => void }

function sendMailFrom(connection: SMTPConnection, from: string, done: Done<void>): void {
  const { from: address } = new MailComposer({ from }).compile().getEnvelope()
  const commands = connection as unknown as Commands
  commands._responseActions.push((response) => done(response.startsWith('2') ? undefined : refusalOfSender(response)))
  commands._sendCommand(`MAIL FROM:<${address}>`)
}

function refusalOfSender(response: string): Error {
  const cause = { command: 'MAIL FROM', response, responseCode: Number.parseInt(response, 10) }
  return Object.assign(new Error(`The mail server refuses the sender at MAIL FROM: ${response}`), cause)
}

function noConnection({ host, port, connectMilliseconds }: SmtpServer): MailServerError {
  const seconds = Math.round(connectMilliseconds / 1000)
  return new MailServerError('session', new Error(`${host}:${port} accepts no connection within ${seconds} s`))
}

async function openConnection(connection: SMTPConnection, server: SmtpServer): Promise<void> {
  // Without this listener, an error after the last step would end the process.
  connection.on('error', () => {})
  await takeStep(connection, server, 'session', (done) => connection.connect(done))
  const { auth } = server
  if (!auth) return
  if (!connection.allowsAuth) throw new MailServerError('session', new Error(NO_SIGN_IN))
  await takeStep(connection, server, 'session', (done) => connection.login(auth, done))
}

async function sendEmail(
  connection: SMTPConnection,
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
  let isSent = false
  // `lastServerResponse` stays false until the server responds to this email.
  connection.lastServerResponse = false
  content.once('end', () => {
    isSent = true
  })
  const send = (done: Done<{ response: string }>) => connection.send(message.getEnvelope(), content, done)
  // An email without a response would be sent again, although the server may have accepted it.
  const extend = () => (isSent && mayWaitLonger() ? server.answerMilliseconds : 0)
  const { response } = await takeStep(connection, server, 'message', send, extend)
  return response
}

/** Mail programs would decode a name that looks like an encoded word (RFC 2047), and show a link or a line break. */
function toHeader(subject: string): string {
  return subject.includes('=?') ? encodeWord(subject, 'B', 52) : subject
}

async function reset(connection: SMTPConnection, server: SmtpServer): Promise<boolean> {
  if (connection.destroyed) return false
  return takeStep(connection, server, 'message', (done) => connection.reset(done)).then(
    () => true,
    () => false,
  )
}

type Done<T> = (error?: Error | null, result?: T) => void

/**
 * One step of the conversation ends with its callback, with the connection or at the deadline.
 * @param extend asked once, at the deadline, for further milliseconds
 */
function takeStep<T>(
  connection: SMTPConnection,
  { deadlineMilliseconds }: SmtpServer,
  stage: Stage,
  step: (done: Done<T>) => void,
  extend = () => 0,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const finish: Done<T> = (error, result) => {
      clearTimeout(timer)
      connection.off('error', finish).off('end', onEnd)
      if (error) reject(new MailServerError(stage, error))
      else resolve(result as T)
    }
    // After a 421, the callback with this response follows the end in the same turn.
    const onEnd = () => setImmediate(finish, new Error('The connection ended.'))
    const giveUp = () => {
      finish(new Error('The mail server took too long.'))
      connection.close()
    }
    const onDeadline = () => {
      const furtherMilliseconds = extend()
      if (furtherMilliseconds > 0) timer = setTimeout(giveUp, furtherMilliseconds)
      else giveUp()
    }
    let timer = setTimeout(onDeadline, deadlineMilliseconds)
    connection.once('error', finish).once('end', onEnd)
    step(finish)
  })
}
