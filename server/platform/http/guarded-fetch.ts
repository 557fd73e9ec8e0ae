import { Resolver } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { pipeline, Readable, Transform } from 'node:stream'
import type { Config } from '../config/config.ts'
import { hostOf, isLocal, isLoopback } from '../config/loopback.ts'
import { request as requestHttp } from './node-http.ts'
import { isPublicAddress } from './public-address.ts'

const DEADLINE_MILLISECONDS = 5_000
const BODY_BYTES_MAXIMUM = 64 * 1024
/** Statuses whose response has no body (Fetch Standard). */
const WITHOUT_BODY = [204, 205, 304]

type Init = Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal'>
export type GuardedFetch = (url: string | URL, init?: Init) => Promise<Response>
type ResolveHost = (hostname: string) => Promise<string[]>

interface Options {
  resolveHost?: ResolveHost
  deadlineMilliseconds?: number
}

/**
 * SSRF: URLs of OAuth clients reach only the public Internet by https. While BASE_URL is on loopback, they reach
 * loopback too, also by http. Redirects are not followed. The deadline is for headers and body together.
 */
export function createGuardedFetch(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  { resolveHost = resolveByDns, deadlineMilliseconds = DEADLINE_MILLISECONDS }: Options = {},
): GuardedFetch {
  const resolvePublic: ResolveHost = async (hostname) => {
    const addresses = await resolveHost(hostname)
    assertPublicAddresses(addresses)
    return addresses
  }

  return async (target, { method, headers, body, signal } = {}) => {
    const given = new Request(target, { method, headers, body, signal } as RequestInit)
    const url = new URL(given.url)
    const isOnLoopback = isLocal(baseUrl) && isLoopback(hostOf(url))
    if (!isOnLoopback) assertPublic(url)
    given.headers.set('user-agent', 'Accounts')
    const content = given.body ? Buffer.from(await given.arrayBuffer()) : undefined
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method: given.method,
      headers: Object.fromEntries(given.headers),
      // Each request connects anew, to an address that is checked.
      agent: false,
      lookup: lookUpWith(isOnLoopback ? resolveLoopback : resolvePublic),
      signal: AbortSignal.any([given.signal, AbortSignal.timeout(deadlineMilliseconds)]),
    })
    return toResponse(
      await new Promise<IncomingMessage>((resolve, reject) => {
        request.on('response', resolve).on('error', reject)
        // After a switch of protocols (status 101) there is neither a response nor an error, also at the deadline.
        request.on('close', () => reject(new Error('The connection ended without a response.'))).end(content)
      }),
    )
  }
}

/** An address has no look-up, so it is checked here. */
function assertPublic(url: URL): void {
  if (url.protocol !== 'https:') throw new Error('The URL does not begin with https.')
  if (isIP(hostOf(url)) !== 0) assertPublicAddresses([hostOf(url)])
}

function assertPublicAddresses(addresses: string[]): void {
  if (addresses.length === 0) throw new Error('The host has no address.')
  if (!addresses.every(isPublicAddress)) throw new Error('The host is not on the public Internet.')
}

/** The socket connects to the addresses that were checked: a second look-up could answer otherwise (DNS rebinding). */
function lookUpWith(resolveHost: ResolveHost): LookupFunction {
  return (hostname, { all }, callback) => {
    resolveHost(hostname).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        if (all) callback(null, found)
        else callback(null, found[0]?.address ?? '', found[0]?.family)
      },
      (error) => callback(error, ''),
    )
  }
}

/** RFC 6761, section 6.3: names of localhost need no DNS. */
const resolveLoopback: ResolveHost = async () => ['127.0.0.1', '::1']

/** `dns.lookup` would block the threads that other look-ups need, while a name server does not answer. */
async function resolveByDns(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = answers.flatMap((given) => (given.status === 'fulfilled' ? given.value : []))
  if (addresses.length === 0 && answers[0].status === 'rejected') throw answers[0].reason
  return addresses
}

function toResponse(message: IncomingMessage): Response {
  const { statusCode: status = 0, headersDistinct } = message
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value)
  if (!WITHOUT_BODY.includes(status)) return new Response(limitBody(message), { status, headers })
  message.destroy()
  return new Response(null, { status, headers })
}

function limitBody(message: IncomingMessage): ReadableStream<Uint8Array> {
  let byteCount = 0
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      byteCount += chunk.length
      if (byteCount > BODY_BYTES_MAXIMUM) done(new Error('The response is longer than 64 KiB.'))
      else done(null, chunk)
    },
  })
  // The reader of the body gets the error.
  pipeline(message, limited, () => {})
  return Readable.toWeb(limited) as ReadableStream<Uint8Array>
}
