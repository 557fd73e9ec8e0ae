import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createClient } from './client.ts'

export interface HeldRequest {
  /** The whole response, after the connection is closed. */
  answer(): Promise<string>
  /** Sends the body, and another request. @returns the answers */
  release(next?: string): Promise<string>
  /** Closes the connection without sending the body. */
  abort(): void
}

/** Sends a POST without its body and waits until the service has read its head. */
export async function holdRequest(
  baseUrl: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  address = 'localhost',
): Promise<HeldRequest> {
  const content = JSON.stringify(body)
  const socket = connect(Number(new URL(baseUrl).port), address)
  await once(socket, 'connect')
  const lines = Object.entries({
    host: new URL(baseUrl).host,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(content)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${content.slice(0, 1)}`)
  // When another request is answered, the service has read the head of this one.
  await createClient(baseUrl).get('/api/auth/ok')
  return {
    answer: () => text(socket),
    release(next = '') {
      socket.write(content.slice(1) + next)
      return text(socket)
    },
    abort: () => socket.destroy(),
  }
}
