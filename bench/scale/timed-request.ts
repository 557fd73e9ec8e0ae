import { Agent, request } from 'node:http'
import type { Sent } from './call.ts'
import { routeOf } from './call.ts'

const agent = new Agent({ keepAlive: true })

/**
 * Sends one request on a connection that is open already.
 * @returns milliseconds until the last byte of the response
 * @throws Error for a refusal, because its time means nothing
 */
export function sendTimed(baseUrl: string, name: string, sent: Sent): Promise<number> {
  const { client, form, body } = sent
  const [method = '', route = ''] = routeOf(name).split(' ')
  const path = Object.entries(sent.parameters ?? {}).reduce(
    (text, [key, value]) => text.replace(`:${key}`, value),
    route,
  )
  const query = sent.query ? `?${new URLSearchParams(sent.query)}` : ''
  const cookie = [...client.cookies].map(([key, value]) => `${key}=${value}`).join('; ')
  const text = form ? new URLSearchParams(form).toString() : body && JSON.stringify(body)
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
  const headers = {
    origin: baseUrl,
    'x-forwarded-for': client.address,
    ...(cookie && { cookie }),
    ...(text !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
    ...sent.headers,
  }
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const outgoing = request(new URL(path + query, baseUrl), { method, headers, agent }, async (response) => {
      try {
        const answer = Buffer.concat(await response.toArray()).toString()
        const milliseconds = performance.now() - startedAt
        const { statusCode = 0 } = response
        if (statusCode < 400) resolve(milliseconds)
        else reject(new Error(`${name} returned ${statusCode}: ${answer.slice(0, 300)}`))
      } catch (error) {
        reject(error)
      }
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}
