import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that are handled concurrently. */
const REQUESTS_AT_WORK_MAXIMUM = 8
/** Time for a refused client to read the refusal before the connection is destroyed. */
const LINGER_MILLISECONDS = 2_000

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')

/**
 * Bounds HTTP pipelining. Node parses a packet as a whole, and one packet can hold 2,400 requests of 1.7 KiB of heap each.
 * Here the parser gets the bytes of one request at a time, and none while 8 requests are at work or an answer is not yet
 * written. The other bytes stay in the socket, so the client has to wait; every request is answered, in order.
 */
export class Connection {
  private socket: Socket
  /** Node's own listener, which feeds the parser. */
  private parse: (bytes: Buffer) => void
  private handle: RequestListener
  private atWork = 0
  /** Requests that were parsed while 8 were at work: the end of a body and the next head may share a piece. */
  private waiting: Exchange[] = []
  /** The last request that was parsed; its body may still be on the way. */
  private newest: Exchange | undefined
  private hasServed = false
  /** Since when an answer has been found unread, in milliseconds. */
  private unreadSince = 0
  /** Whether this class paused the socket. Node pauses it too, and resumes it then by itself. */
  private isHeldBack = false
  private refusal: Buffer | undefined

  constructor(socket: Socket, handle: RequestListener) {
    this.socket = socket
    this.handle = handle
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[]
    if (!parse) throw new Error('Node has not attached its parser to the socket')
    this.parse = parse
    // Adding a listener also makes Node give up its direct way from the kernel to the parser.
    socket.removeListener('data', parse)
    socket.on('data', (bytes: Buffer) => this.read(bytes))
  }

  /** Handles a request now, or when fewer are at work. */
  accept(request: IncomingMessage, response: ServerResponse): void {
    this.newest = { request, response }
    this.hasServed = true
    if (this.atWork < REQUESTS_AT_WORK_MAXIMUM) this.start(this.newest)
    else this.waiting.push(this.newest)
  }

  /** To be called now and then: only an unread answer is worth a timer, and Node's timer knows what the kernel still holds. */
  watchReading(unreadMilliseconds: number): void {
    const { socket } = this
    // Node finds nothing read for this long twice before it says so, unless the answer did not fit at all.
    const timeout = unreadMilliseconds / 2
    if (socket.writableLength === 0 || socket.timeout === timeout) return
    this.unreadSince = performance.now()
    socket.setTimeout(timeout)
  }

  /** Nothing was received, and nothing of an answer was read, for the socket's timeout. */
  handleTimeout(unreadMilliseconds: number): void {
    const { socket } = this
    const isUnread = socket.writableLength > 0
    if (isUnread && performance.now() - this.unreadSince < unreadMilliseconds) socket.setTimeout(unreadMilliseconds / 2)
    // A request that is slow to arrive, or to answer, is not for this timer.
    else if (isUnread || (this.hasServed && this.atWork === 0)) socket.destroy()
  }

  /** Parses nothing any more, lets the requests at work be answered, then sends the refusal and closes. */
  refuse(refusal: Buffer): void {
    if (this.refusal) return
    this.refusal = refusal
    this.closeIfAnswered(refusal)
  }

  private read(bytes: Buffer): void {
    this.isHeldBack = false
    if (this.refusal) return
    let position = 0
    while (position < bytes.length && this.mayParse()) {
      const end = endOfPiece(bytes, position)
      this.parse(end - position === bytes.length ? bytes : bytes.subarray(position, end))
      position = end
    }
    if (position === bytes.length || this.refusal) return
    if (!this.socket.isPaused()) {
      this.socket.pause()
      this.isHeldBack = true
    }
    this.socket.unshift(bytes.subarray(position))
  }

  private mayParse(): boolean {
    // While Node has paused the socket, its listener must not be called.
    if (this.refusal || this.socket.isPaused() || this.socket.destroyed) return false
    if (this.waiting.length > 0 || this.socket.writableLength > 0) return false
    // A request at work may wait for its body.
    return this.atWork < REQUESTS_AT_WORK_MAXIMUM || this.newest?.request.complete === false
  }

  private start({ request, response }: Exchange): void {
    this.atWork += 1
    response.on('close', this.finish)
    this.handle(request, response)
  }

  private finish = (): void => {
    this.atWork -= 1
    if (this.atWork === 0 && this.newest?.request.complete) this.newest = undefined
    if (this.socket.destroyed) return
    const next = this.waiting.shift()
    if (next) this.start(next)
    if (this.refusal) this.closeIfAnswered(this.refusal)
    else if (this.isHeldBack) {
      this.isHeldBack = false
      // Other connections get their turn first: else all that one client has sent would be answered before them.
      setImmediate(() => this.socket.resume())
    }
  }

  /** A request whose body is not read to its end is never answered: the refusal is its answer. */
  private closeIfAnswered(refusal: Buffer): void {
    const { newest } = this
    const isCutShort = newest !== undefined && !newest.request.complete && !newest.response.writableEnded
    if (this.atWork === (isCutShort ? 1 : 0)) this.close(refusal)
  }

  /** Unread bytes would make the kernel reset the connection, and the client would lose the refusal: they are read and dropped. */
  private close(refusal: Buffer): void {
    const { socket } = this
    socket.end(refusal)
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS)
    socket.on('close', () => clearTimeout(timer))
  }
}

/** A piece ends with the head of a request, so that each holds one request, or the end of a body and one request. */
function endOfPiece(bytes: Buffer, position: number): number {
  const found = bytes.indexOf(END_OF_HEAD, position)
  return found === -1 ? bytes.length : found + END_OF_HEAD.length
}
