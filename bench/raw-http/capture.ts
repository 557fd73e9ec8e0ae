import { get } from 'node:http'
import { text } from 'node:stream/consumers'

export interface CapturedAnswer {
  /** Names and values in turn, as received. */
  headers: string[]
  body: string
}

/** Headers that `node:http` adds to every response. */
const ADDED_BY_NODE = new Set(['date', 'connection', 'keep-alive'])

/** Captures the response to get-session, so that another server can send the same bytes. */
export function captureAnswer(port: number, token: string): Promise<CapturedAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<CapturedAnswer>()
  const headers = { authorization: `Bearer ${token}`, host: `localhost:${port}` }
  get({ host: '127.0.0.1', port, path: '/api/auth/get-session', headers }, async (response) => {
    const pairs = response.rawHeaders.flatMap((name, index, all) =>
      index % 2 === 0 && !ADDED_BY_NODE.has(name.toLowerCase()) ? [name, all[index + 1] ?? ''] : [],
    )
    const body = await text(response)
    if (response.statusCode === 200) resolve({ headers: pairs, body })
    else reject(new Error(`get-session answered ${response.statusCode}: ${body}`))
  }).on('error', reject)
  return promise
}
