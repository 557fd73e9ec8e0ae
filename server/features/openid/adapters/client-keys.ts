import type { Context } from '../../../core/context.ts'
import { type PublicKey, pickUsableKeys } from '../../../core/oauth-clients/public-keys.ts'
import type { GuardedFetch } from '../../../platform/http/guarded-fetch.ts'

/** A key that the client has removed from its `jwks_uri` authenticates for at most this time. */
const LIFETIME_MILLISECONDS = 60_000
/** The minimum between two requests to an address: wrong assertions must not flood the server of the client. */
const INTERVAL_MILLISECONDS = 5_000
const KEYS_MAXIMUM = 20
const ADDRESSES_MAXIMUM = 1_000

interface Fetched {
  keys: Promise<PublicKey[]>
  requestedAt: number
  lifetimeMilliseconds: number
}

/** @throws Error when the address gives no keys */
export type FetchClientKeys = (jwksUri: string) => Promise<PublicKey[]>

/** The library would trust the keys that it has until a verification fails. */
export function createFetchClientKeys(
  { now, log }: Pick<Context, 'now' | 'log'>,
  fetch: GuardedFetch,
): FetchClientKeys {
  const fetchedOf = new Map<string, Fetched>()

  return (jwksUri) => {
    const known = fetchedOf.get(jwksUri)
    const ageMilliseconds = now() - (known?.requestedAt ?? 0)
    // A clock that was ahead must not prolong the lifetime.
    if (known && ageMilliseconds >= 0 && ageMilliseconds < known.lifetimeMilliseconds) return known.keys
    fetchedOf.delete(jwksUri)
    const [oldest] = fetchedOf.keys()
    if (oldest !== undefined && fetchedOf.size >= ADDRESSES_MAXIMUM) fetchedOf.delete(oldest)
    const fetched = request(jwksUri)
    fetchedOf.set(jwksUri, fetched)
    return fetched.keys
  }

  function request(jwksUri: string): Fetched {
    const response = fetch(jwksUri, { headers: { accept: 'application/json' } })
    const fetched: Fetched = {
      keys: response.then(readKeys),
      requestedAt: now(),
      lifetimeMilliseconds: LIFETIME_MILLISECONDS,
    }
    Promise.all([response, fetched.keys]).then(
      ([{ headers }]) => {
        fetched.lifetimeMilliseconds = lifetimeOf(headers.get('cache-control') ?? '')
      },
      (error: unknown) => {
        fetched.lifetimeMilliseconds = INTERVAL_MILLISECONDS
        log.warn({ err: error, jwksUri }, 'the jwks_uri of a client gives no keys')
      },
    )
    return fetched
  }
}

/** Other keys of the set are for other purposes. */
async function readKeys(response: Response): Promise<PublicKey[]> {
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`The status is ${response.status}.`)
  }
  const { keys } = (await response.json()) as { keys?: unknown }
  if (!Array.isArray(keys)) throw new Error('The response is no JWK Set.')
  if (keys.length > KEYS_MAXIMUM) throw new Error(`The set has more than ${KEYS_MAXIMUM} keys.`)
  return pickUsableKeys(keys)
}

/** `max-age` can shorten the lifetime, but not prolong it. */
function lifetimeOf(cacheControl: string): number {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return INTERVAL_MILLISECONDS
  const [, seconds] = /\bmax-age="?(\d+)/i.exec(cacheControl) ?? []
  if (seconds === undefined) return LIFETIME_MILLISECONDS
  return Math.min(LIFETIME_MILLISECONDS, Math.max(INTERVAL_MILLISECONDS, Number(seconds) * 1000))
}
