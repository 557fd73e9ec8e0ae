import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { ERRORS } from './errors.ts'
import type { RefuseSocket } from './http-server.ts'
import { STATUS_CODES } from './node-http.ts'

export function createSocketRefusals(headers: Record<string, string>, log: FastifyBaseLogger): RefuseSocket {
  return (code, cause) => {
    const [status, message] = ERRORS[code]
    const requestId = randomUUID()
    // The message of the cause may quote the request. Its code never does.
    log.info({ reqId: requestId, method: 'none', route: 'none', status, code, reason: cause?.code }, 'request')
    const body = JSON.stringify({ code, message })
    const lines = Object.entries({
      ...headers,
      'x-request-id': requestId,
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  }
}
