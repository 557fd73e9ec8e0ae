import { connect, type Socket } from 'node:net'
import { type Answer, readAnswer } from './answer.ts'

interface ConnectionEvents {
  onReady: (connection: Connection) => void
  onAnswer: (connection: Connection, answer: Answer) => void
  /** Called when the connection is closed. */
  onBroken: (connection: Connection, reason: string) => void
}

/** One kept-alive connection with one request at a time. */
export class Connection {
  private socket: Socket
  private received: Buffer | undefined

  constructor(port: number, { onReady, onAnswer, onBroken }: ConnectionEvents) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.socket.on('connect', () => onReady(this))
    this.socket.on('data', (bytes: Buffer) => {
      this.received = this.received ? Buffer.concat([this.received, bytes]) : bytes
      const answer = readAnswer(this.received)
      if (!answer) return
      this.received = undefined
      onAnswer(this, answer)
    })
    // An error is followed by "close".
    this.socket.on('error', () => {})
    this.socket.on('close', (hadError) => onBroken(this, hadError ? 'connection error' : 'connection closed'))
  }

  send(request: Buffer): void {
    this.socket.write(request)
  }

  close(): void {
    this.socket.removeAllListeners('close')
    this.socket.destroy()
  }
}
