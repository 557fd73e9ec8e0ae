import { codeOf } from './code-of.ts'
import { setReachable } from './connection.ts'
import { waitForNextPage } from './next-page.ts'
import { RequestFailed } from './request-failed.ts'

// Longer than the service needs for any response. A request without a response would hold the lock, and all tabs wait.
const RESPONSE_MILLISECONDS_MAXIMUM = 30_000

/** The links of emails make these changes by GET. */
const CHANGES_BY_GET = ['/api/auth/verify-email', '/api/auth/delete-user/callback']

/**
 * `fetch` under a lock that all tabs share: reads run together, any other request runs alone. A write may replace the
 * session token, and a concurrent read with the old token would look like the end of the session.
 */
export async function fetchInTurn(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  try {
    const response = await navigator.locks.request(
      'session token',
      { mode: isRead(input, init) ? 'shared' : 'exclusive' },
      () => fetchWithTimeLimit(input, init),
    )
    setReachable(true)
    return response
  } catch (error) {
    if (error instanceof RequestFailed) {
      await waitForNextPage()
      setReachable(false)
    }
    throw error
  }
}

function isRead(input: RequestInfo | URL, { method = 'GET' }: RequestInit): boolean {
  const { pathname } = new URL(input instanceof Request ? input.url : input, location.origin)
  return method === 'GET' && !CHANGES_BY_GET.includes(pathname)
}

async function fetchWithTimeLimit(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  // Without a network, nothing is sent. Otherwise the service may have made the change, and the response is lost.
  const isChangePossible = navigator.onLine && !isRead(input, init)
  const expiry = new AbortController()
  const timer = setTimeout(() => expiry.abort(), RESPONSE_MILLISECONDS_MAXIMUM)
  try {
    const signal = init.signal ? AbortSignal.any([init.signal, expiry.signal]) : expiry.signal
    const response = await fetchWhole(input, { ...init, signal })
    // A proxy sends its own error page when the response of the service is lost. Errors of the service have a code.
    const isFromProxy = response.status >= 500 && (await codeOf(response)) === undefined
    if (isFromProxy && isChangePossible) throw RequestFailed.withoutResponse(true)
    return response
  } catch (error) {
    // A request that its caller aborted says nothing about the connection.
    const isFailure = error instanceof TypeError || error instanceof SyntaxError || expiry.signal.aborted
    throw isFailure ? RequestFailed.withoutResponse(isChangePossible) : error
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for the body, because the network may cut it off. */
async function fetchWhole(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  const copy = response.clone()
  // Each success of the service is JSON. A proxy may answer with a page of its own instead.
  await (response.ok ? copy.json() : copy.text())
  return response
}
