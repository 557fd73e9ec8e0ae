import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { type SecureContextOptions, TLSSocket } from 'node:tls'
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts'

export type SmtpStage =
  | 'greeting'
  | 'EHLO'
  | 'HELO'
  | 'STARTTLS'
  | 'AUTH'
  | 'MAIL FROM'
  | 'RCPT TO'
  | 'DATA'
  | 'message'
  | 'RSET'
/** A reply such as `550 no`, a failure instead of a reply, or a reply with which the connection ends. */
export type SmtpReply = string | 'disconnect' | 'hang' | { last: string }

export interface SmtpScript {
  port: number
  /** Replies by stage that replace the default ones. Tests may change them while the server runs. */
  replies: Partial<Record<SmtpStage, SmtpReply | ((line: string, recipient: string) => SmtpReply | undefined)>>
  /** What the encryption after STARTTLS allows, beside the default. */
  encryption: SecureContextOptions
  /** The recipients of accepted emails, in order. */
  recipients: string[]
  /** Every line of every client. */
  lines: { text: string; isEncrypted: boolean }[]
  connectionCount: number
  openCount(): number
  /** Functions that end a reply that hangs. Each sends a reply such as `250 taken`. */
  endHanging: ((reply: string) => void)[]
  close(): Promise<void>
}

const DEFAULT_REPLIES: Record<SmtpStage, string> = {
  greeting: '220 ready',
  EHLO: '250-ready\r\n250 AUTH PLAIN',
  HELO: '250 ready',
  STARTTLS: '502 unknown',
  AUTH: '235 welcome',
  'MAIL FROM': '250 sender taken',
  'RCPT TO': '250 recipient taken',
  DATA: '354 go ahead',
  message: '250 taken',
  RSET: '250 reset',
}
const STAGES = Object.keys(DEFAULT_REPLIES) as SmtpStage[]

/** A mail server on a free local port that sends scripted replies and failures. */
export async function startSmtpScript(): Promise<SmtpScript> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    script.connectionCount += 1
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    talk(script, socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const script: SmtpScript = {
    port: (server.address() as AddressInfo).port,
    replies: {},
    encryption: {},
    recipients: [],
    lines: [],
    connectionCount: 0,
    openCount: () => sockets.size,
    endHanging: [],
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return script
}

function talk(script: SmtpScript, plain: Socket): void {
  let socket: Socket = plain
  let recipient = ''
  let isInMessage = false

  const answer = (stage: SmtpStage, line: string): boolean => {
    const scripted = script.replies[stage]
    const reply = (typeof scripted === 'function' ? scripted(line, recipient) : scripted) ?? DEFAULT_REPLIES[stage]
    if (reply === 'hang') script.endHanging.push((late) => send(stage, late))
    else if (typeof reply === 'object') socket.end(reply.last)
    else send(stage, reply)
    return typeof reply === 'string' && /^[23]/.test(reply)
  }

  const send = (stage: SmtpStage, reply: string) => {
    if (stage === 'message' && reply.startsWith('2')) script.recipients.push(recipient)
    if (reply === 'disconnect') socket.destroy()
    else socket.write(`${reply}\r\n`)
  }

  const onLine = (line: string) => {
    if (!socket.writable) return
    if (isInMessage) {
      if (line !== '.') return
      isInMessage = false
      answer('message', line)
      return
    }
    script.lines.push({ text: line, isEncrypted: socket !== plain })
    const stage = STAGES.find((name) => line.toUpperCase().startsWith(name))
    if (!stage) return void socket.write('502 unknown\r\n')
    const isAccepted = answer(stage, line)
    if (stage === 'STARTTLS' && isAccepted) encrypt()
    if (stage === 'RCPT TO') recipient = line.replace(/^.*<|>.*$/g, '')
    if (stage === 'DATA') isInMessage = isAccepted
  }

  const listen = () =>
    createInterface({ input: socket })
      .on('line', onLine)
      .on('error', () => {})

  function encrypt(): void {
    lines.close()
    plain.removeAllListeners('data')
    const options = { isServer: true, key: CERTIFICATE_KEY, cert: CERTIFICATE, ...script.encryption }
    socket = new TLSSocket(plain, options)
    socket.on('error', () => {})
    listen()
  }

  const lines = listen()
  answer('greeting', '')
}
