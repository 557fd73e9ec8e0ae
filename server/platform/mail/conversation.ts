import type { SmtpServer } from '../config/smtp-server.ts'
import { openConnection, quit, reset } from './mail-connection.ts'
import { MailServerError } from './mail-server-error.ts'
import { StrictConnection } from './strict-connection.ts'
import { type OutgoingEmail, transmitEmail } from './transmit-email.ts'

export interface Conversation {
  /** @returns the response of the server. @throws MailServerError */
  send(email: OutgoingEmail): Promise<string>
  /** An email that is being sent fails. */
  close(): void
}

/** Servers limit the emails of one connection; Exchange accepts 20. */
const EMAILS_PER_CONNECTION = 20

/** @param mayWaitLonger asked at the deadline of an email whose content is sent, and still without a response */
export function createConversation(server: SmtpServer, mayWaitLonger = () => true): Conversation {
  let connection: StrictConnection | undefined
  let emailCount = 0
  let isSending = false

  async function connect(): Promise<StrictConnection> {
    if (connection && !connection.destroyed && emailCount < EMAILS_PER_CONNECTION) return connection
    if (connection) quit(connection)
    connection = new StrictConnection(server)
    emailCount = 0
    await openConnection(connection, server)
    return connection
  }

  async function send(email: OutgoingEmail): Promise<string> {
    const open = await connect()
    emailCount += 1
    isSending = true
    try {
      return await transmitEmail(open, server, email, mayWaitLonger)
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

/** The server ends this connection before the content of the email, with 421 at MAIL FROM or without a response. */
function takesNoMoreEmails(error: unknown, { lastServerResponse }: StrictConnection): boolean {
  if (!(error instanceof MailServerError)) return false
  if (error.command === 'CONN') return lastServerResponse === false
  return error.command === 'MAIL FROM' && error.responseCode === 421
}
