import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

export type ReceivedEmail = {
  /** The envelope sender and recipients, which decide on delivery. */
  envelope: { from: string; to: string[] }
  /** By lower-case name. A repeated header has its last value. */
  headers: Record<string, string>
  subject: string
  text: string
  html: string
  raw: string
}

export type SmtpSink = {
  /** The value for SMTP_URL. */
  url: string
  /** The received emails, in the order of arrival. */
  emails: ReceivedEmail[]
  /** Resolves to the first matching email, received before or after the call. */
  waitForEmail(fits: (message: ReceivedEmail) => boolean, timeoutInMilliseconds?: number): Promise<ReceivedEmail>
  /** Refuses every recipient with this status, temporary (451) or permanent (550), until `undefined`. */
  refuseWith(status: 451 | 550 | undefined): void
  /** Stops the server. New connections are refused, as in an outage. */
  close(): Promise<void>
  /** Starts the server again on the same port. */
  reopen(): Promise<void>
}

async function readEmail(content: Buffer, session: SMTPServerSession): Promise<ReceivedEmail> {
  const parsed = await PostalMime.parse(content)
  const { mailFrom, rcptTo } = session.envelope
  return {
    envelope: { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) },
    headers: Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value])),
    subject: parsed.subject ?? '',
    text: parsed.text ?? '',
    html: parsed.html ?? '',
    raw: content.toString('utf8'),
  }
}

/** The received emails, with a wait for further ones. */
function createInbox() {
  const emails: ReceivedEmail[] = []
  const arrivals = new EventTarget()
  const put = (message: ReceivedEmail) => {
    emails.push(message)
    arrivals.dispatchEvent(new Event('email'))
  }
  const waitForEmail = async (fits: (message: ReceivedEmail) => boolean, timeoutInMilliseconds = 20_000) => {
    const signal = AbortSignal.timeout(timeoutInMilliseconds)
    while (true) {
      const message = emails.find(fits)
      if (message) return message
      await once(arrivals, 'email', { signal }).catch(() => {
        const subjects = emails.map(({ envelope, subject }) => `${envelope.to}: ${subject}`)
        throw new Error(`No matching email within ${timeoutInMilliseconds} ms. Received: ${subjects.join('; ')}`)
      })
    }
  }
  return { emails, put, waitForEmail }
}

function refusal(status: number): Error {
  return Object.assign(new Error('Refused by the test'), { responseCode: status })
}

/** A mail server on a free local port that stores received emails. */
export async function startSmtpSink(): Promise<SmtpSink> {
  const { emails, put, waitForEmail } = createInbox()
  let refusedWith: 451 | 550 | undefined
  let server: SMTPServer

  const open = async (port: number): Promise<number> => {
    server = new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      disabledCommands: ['STARTTLS'],
      closeTimeout: 1,
      onRcptTo: (_address, _session, answer) => answer(refusedWith && refusal(refusedWith)),
      onData: (stream, session, answer) => {
        buffer(stream)
          .then((content) => readEmail(content, session))
          .then(put)
          .then(() => answer(), answer)
      },
    })
    // A client that closes the connection is no error of this server.
    server.on('error', () => {})
    const listening = server.listen(port, '127.0.0.1')
    await once(listening, 'listening')
    return (listening.address() as AddressInfo).port
  }

  const port = await open(0)
  return {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    waitForEmail,
    refuseWith: (status) => {
      refusedWith = status
    },
    close: () => new Promise((resolve) => server.close(resolve)),
    reopen: async () => {
      await open(port)
    },
  }
}
