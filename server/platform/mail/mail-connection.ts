import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SmtpServer } from '../config/smtp-server.ts'
import { MailServerError } from './mail-server-error.ts'
import { takeStep } from './take-step.ts'

const NO_SIGN_IN = 'The mail server offers no sign-in, and SMTP_URL has a user or a password'

export async function openConnection(connection: SMTPConnection, server: SmtpServer): Promise<void> {
  // Without this listener, an error after the last step would end the process.
  connection.on('error', () => {})
  await takeStep(connection, server, 'session', (done) => connection.connect(done))
  const { auth } = server
  if (!auth) return
  if (!connection.allowsAuth) throw new MailServerError('session', new Error(NO_SIGN_IN))
  await takeStep(connection, server, 'session', (done) => connection.login(auth, done))
}

export async function reset(connection: SMTPConnection, server: SmtpServer): Promise<boolean> {
  if (connection.destroyed) return false
  return takeStep(connection, server, 'message', (done) => connection.reset(done)).then(
    () => true,
    () => false,
  )
}

/** Without QUIT (RFC 5321, section 4.1.1.10), servers log lost connections, which fail2ban, for example, counts. */
export function quit(connection: SMTPConnection): void {
  if (connection.stage === 'connected') connection.quit()
  connection.close()
}
