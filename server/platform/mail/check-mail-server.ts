import MailComposer from 'nodemailer/lib/mail-composer'
import type { SmtpServer } from '../config/smtp-server.ts'
import { openConnection, quit, reset } from './mail-connection.ts'
import { MailServerError } from './mail-server-error.ts'
import { StrictConnection } from './strict-connection.ts'
import { type Done, takeStep } from './take-step.ts'

/** Servers with a full queue or a required encryption refuse MAIL FROM. @throws MailServerError */
export async function checkMailServer(server: SmtpServer, from: string): Promise<{ isEncrypted: boolean }> {
  const connection = new StrictConnection(server)
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

/** The library can't send a single command. A test compares the command with an email's. */
function sendMailFrom(connection: StrictConnection, from: string, done: Done<void>): void {
  const { from: address } = new MailComposer({ from }).compile().getEnvelope()
  connection._responseActions.push((response) => done(response.startsWith('2') ? undefined : refusalOfSender(response)))
  connection._sendCommand(`MAIL FROM:<${address}>`)
}

function refusalOfSender(response: string): Error {
  const cause = { command: 'MAIL FROM', response, responseCode: Number.parseInt(response, 10) }
  return Object.assign(new Error(`The mail server refuses the sender at MAIL FROM: ${response}`), cause)
}

function noConnection({ host, port, connectMilliseconds }: SmtpServer): MailServerError {
  const seconds = Math.round(connectMilliseconds / 1000)
  return new MailServerError('session', new Error(`${host}:${port} accepts no connection within ${seconds} s`))
}
