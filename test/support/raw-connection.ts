import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** A TCP connection to a service, for requests that HTTP clients refuse to send. */
export class RawConnection {
  socket: Socket
  closed: Promise<unknown>
  answers: RawAnswer[] = []
  private unread = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.socket = socket
    // A connection may also end with a reset.
    socket.on('error', () => {})
    this.closed = new Promise((resolve) => socket.on('close', resolve))
  }

  static async open(port: number, host = '127.0.0.1'): Promise<RawConnection> {
    const connection = new RawConnection(connect(port, host))
    await once(connection.socket, 'connect')
    return connection
  }

  /** Sends text unchanged. */
  send(text: string): this {
    this.socket.write(text)
    return this
  }

  /** Reads a number of responses, or fewer if the connection ends. */
  async read(count = 1): Promise<RawAnswer[]> {
    const { socket } = this
    return new Promise((resolve) => {
      const take = (bytes: Buffer) => {
        this.unread = Buffer.concat([this.unread, bytes])
        for (let answer = this.next(); answer; answer = this.next()) this.answers.push(answer)
        if (this.answers.length >= count) finish()
      }
      const finish = () => {
        socket.off('data', take).off('close', finish)
        resolve(this.answers)
      }
      socket.on('data', take).on('close', finish).resume()
      if (socket.destroyed) finish()
    })
  }

  private next(): RawAnswer | undefined {
    const end = this.unread.indexOf('\r\n\r\n')
    if (end === -1) return undefined
    const [statusLine = '', ...lines] = this.unread.subarray(0, end).toString().split('\r\n')
    const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ', 2)))
    const length = Number(headers['content-length'] ?? 0)
    const bodyStart = end + 4
    if (this.unread.length < bodyStart + length) return undefined
    const body = this.unread.subarray(bodyStart, bodyStart + length).toString()
    this.unread = this.unread.subarray(bodyStart + length)
    return { status: Number(statusLine.split(' ')[1]), headers, body }
  }
}
