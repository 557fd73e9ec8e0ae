import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Concurrent requests of one connection. */
const HANDLED_MAXIMUM = 8
/** Time for a refused client to read the refusal before the connection is destroyed. */
const LINGER_MILLISECONDS = 2_000

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')

/**
 * Bounds HTTP pipelining. Node parses a whole packet, which can hold 2,400 requests of 1.7 KiB of heap each. Here the
 * parser gets the bytes of one request at a time. The other bytes stay in the socket, so the client waits.
 *
 * States of a connection, of which several may hold at a time:
 * - idle: `handledCount` is 0, `newest` is undefined and `isInHead` is false
 * - a head or a body arrives: `isInHead` is true, or the request of `newest` is incomplete
 * - busy: `handledCount` is 8, so only a body is parsed; `waiting` has the requests that were parsed before
 * - unread: the socket has bytes of a response (`writableLength`), so nothing is parsed
 * - refused: `refusal` is set, nothing is parsed, and the connection ends after the earlier responses
 */
export class Connection {
  private socket: Socket
  /** Node's listener, which feeds the parser. */
  private parse: (bytes: Buffer) => void
  private handle: RequestListener
  private handledCount = 0
  /** Requests that were parsed while 8 were handled: a piece may hold the end of a body and the next head. */
  private waiting: Exchange[] = []
  /** The last parsed request. Its body may still be arriving. */
  private newest: Exchange | undefined
  /** Whether the parser has got a part of a head. */
  private isInHead = false
  private hasServed = false
  /** The opening of the connection or the end of its last response, in milliseconds. */
  private idleSince = performance.now()
  /** When a response was first found unread, in milliseconds. */
  private unreadSince = 0
  /** Whether this class paused the socket. Node also pauses it, and then resumes it itself. */
  private isPausedHere = false
  private refusal: Buffer | undefined

  constructor(socket: Socket, handle: RequestListener) {
    this.socket = socket
    this.handle = handle
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[]
    if (!parse) throw new Error('Node has not attached its parser to the socket')
    this.parse = parse
    // Another listener also stops Node from passing bytes from the kernel to the parser directly.
    socket.removeListener('data', parse)
    socket.on('data', (bytes: Buffer) => this.read(bytes))
  }

  accept(request: IncomingMessage, response: ServerResponse): void {
    this.newest = { request, response }
    this.isInHead = false
    this.hasServed = true
    // Node's parser drops what follows the body, so the client must send later requests on another connection.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
    if (this.handledCount < HANDLED_MAXIMUM) this.start(this.newest)
    else this.waiting.push(this.newest)
  }

  /** Called periodically. Only an unread response needs a timer; Node's timer also sees bytes in the kernel's buffer. */
  watchReading(unreadMilliseconds: number): void {
    const { socket } = this
    // Node usually waits for two idle periods before it emits `timeout`.
    const idleMilliseconds = unreadMilliseconds / 2
    if (socket.writableLength === 0 || socket.timeout === idleMilliseconds) return
    this.unreadSince = performance.now()
    socket.setTimeout(idleMilliseconds)
  }

  /** Nothing was received, and nothing of a response was read, for the timeout of the socket. */
  handleTimeout(unreadMilliseconds: number): void {
    const { socket } = this
    const isUnread = socket.writableLength > 0
    if (isUnread && performance.now() - this.unreadSince < unreadMilliseconds) socket.setTimeout(unreadMilliseconds / 2)
    // This timer is not for requests that arrive slowly or take long.
    else if (isUnread || (this.hasServed && this.handledCount === 0)) socket.destroy()
  }

  closeIfIdle(idleMilliseconds: number): void {
    const isIncomplete = this.isInHead || this.isInBody() || this.socket.isPaused()
    const isAnswering = this.handledCount > 0 || this.socket.writableLength > 0
    const isRecent = performance.now() - this.idleSince < idleMilliseconds
    if (!isIncomplete && !isAnswering && !isRecent) this.socket.destroy()
  }

  /** Stops parsing, waits for the responses of earlier requests, then sends the refusal and closes. */
  refuse(refusal: Buffer): void {
    if (this.refusal) return
    this.refusal = refusal
    this.closeIfAnswered(refusal)
  }

  private read(bytes: Buffer): void {
    this.isPausedHere = false
    if (this.refusal) return
    let position = 0
    while (position < bytes.length && this.canParse()) {
      const end = endOfPiece(bytes, position)
      this.isInHead = !this.isInBody()
      this.parse(end - position === bytes.length ? bytes : bytes.subarray(position, end))
      position = end
    }
    if (position === bytes.length || this.refusal) return
    if (!this.socket.isPaused()) {
      this.socket.pause()
      this.isPausedHere = true
    }
    this.socket.unshift(bytes.subarray(position))
  }

  private canParse(): boolean {
    // Node's listener must not be called while Node has paused the socket.
    if (this.refusal || this.socket.isPaused() || this.socket.destroyed) return false
    if (this.waiting.length > 0 || this.socket.writableLength > 0) return false
    // A handled request may wait for its body.
    return this.handledCount < HANDLED_MAXIMUM || this.isInBody()
  }

  private isInBody(): boolean {
    return this.newest?.request.complete === false
  }

  private start({ request, response }: Exchange): void {
    this.handledCount += 1
    response.on('close', this.finish)
    this.handle(request, response)
  }

  private finish = (): void => {
    this.handledCount -= 1
    this.idleSince = performance.now()
    if (this.handledCount === 0 && this.newest?.request.complete) this.newest = undefined
    if (this.socket.destroyed) return
    const next = this.waiting.shift()
    if (next) this.start(next)
    if (this.refusal) this.closeIfAnswered(this.refusal)
    // Without setImmediate, all requests of this connection would go before those of other connections.
    else if (this.isPausedHere) setImmediate(() => this.resume())
  }

  /** The body of a waiting request may have resumed the socket since, and Node may have paused it again. */
  private resume(): void {
    if (this.isPausedHere) this.socket.resume()
  }

  /** A request whose body is incomplete gets the refusal as its response. */
  private closeIfAnswered(refusal: Buffer): void {
    const { newest } = this
    const isCutShort = newest !== undefined && !newest.request.complete && !newest.response.writableEnded
    if (this.handledCount === (isCutShort ? 1 : 0)) this.close(refusal)
  }

  /** Reads the remaining bytes: with unread bytes the kernel resets the connection, and the client loses the refusal. */
  private close(refusal: Buffer): void {
    const { socket } = this
    socket.end(refusal)
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS)
    socket.on('close', () => clearTimeout(timer))
  }
}

/** A piece ends with the head of a request, so it holds at most the end of a body and one request. */
function endOfPiece(bytes: Buffer, position: number): number {
  const found = bytes.indexOf(END_OF_HEAD, position)
  return found === -1 ? bytes.length : found + END_OF_HEAD.length
}
