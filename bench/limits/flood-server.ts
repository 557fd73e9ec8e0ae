import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { createPasswordHasher, threadsOf } from '../../server/platform/crypto/passwords.ts'
import { createBusyDelay } from '../../server/platform/http/delay-busy-responses.ts'

const RETRY_AFTER_SECONDS = 1

const hasher = createPasswordHasher(threadsOf(1))
const delay = createBusyDelay()

function respond(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
}

createServer(async (request, response) => {
  if (request.method === 'GET') return respond(response, 200, { user: 'the same for every session' })
  const { password } = JSON.parse(await text(request)) as { password: string }
  try {
    await hasher.verify(undefined, password)
    respond(response, 401, { code: 'INVALID_EMAIL_OR_PASSWORD' })
  } catch {
    await delay(RETRY_AFTER_SECONDS)
    respond(response, 503, { code: 'SERVICE_UNAVAILABLE' })
  }
}).listen(Number(process.argv[2]), '127.0.0.1')
