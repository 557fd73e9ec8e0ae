import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { decodeJwt } from 'jose'

/** A status, a redirect to a URL, or a failure. */
type Reply = number | `http${string}` | 'hang' | 'reset' | 'endless body' | 'unfinished body'

export interface LogOutReceiver {
  /** For `backchannel_logout_uri`. */
  uri: `http${string}`
  /** Tests may change it while the receiver runs. */
  reply: Reply
  /** The requests in the order of arrival, including the refused ones. */
  requests: { headers: IncomingHttpHeaders; form: URLSearchParams; sid: unknown }[]
  /** The `sid` of the requests, in the order of arrival. */
  sids(): unknown[]
  /** The connections that are open now. */
  connectionCount(): Promise<number>
  close(): void
}

/** The server of a client, on a free local port, that receives back-channel log-outs. */
export async function startLogOutReceiver(reply: Reply = 200): Promise<LogOutReceiver> {
  const server = createServer(async (request, response) => {
    const form = await readForm(request).catch(() => undefined)
    if (!form) return
    const { sid } = decodeJwt(form.get('logout_token') ?? '')
    receiver.requests.push({ headers: request.headers, form, sid })
    answer(receiver.reply, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: LogOutReceiver = {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/log-out`,
    reply,
    requests: [],
    sids: () => receiver.requests.map(({ sid }) => sid),
    connectionCount: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams(await text(request))
}

function answer(reply: Reply, response: ServerResponse): void {
  if (typeof reply === 'number') response.writeHead(reply).end()
  else if (reply === 'reset') response.destroy()
  else if (reply === 'endless body') sendEndlessly(response.writeHead(200))
  else if (reply === 'unfinished body') response.writeHead(200).write('a part')
  else if (reply !== 'hang') response.writeHead(302, { location: reply }).end()
}

function sendEndlessly(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024)
  const send = () => {
    while (!response.destroyed && response.write(chunk)) {}
  }
  response.on('drain', send)
  send()
}
