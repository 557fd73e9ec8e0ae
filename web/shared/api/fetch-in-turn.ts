import { setReachable } from './connection.ts'

// Longer than the service takes for any response. A request without one would keep the lock, and all tabs waiting.
const RESPONSE_MILLISECONDS_MAXIMUM = 30_000

/**
 * `fetch` under a lock that all tabs share: reads run together, any other request runs alone. A write may replace the session
 * token, and a concurrent read with the old token would look like the end of the session.
 */
export function fetchInTurn(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const isRead = (init?.method ?? 'GET') === 'GET'
  return navigator.locks.request('session token', { mode: isRead ? 'shared' : 'exclusive' }, () =>
    fetchAndNotice(input, init),
  )
}

async function fetchAndNotice(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const expiry = new AbortController()
  const timer = setTimeout(() => expiry.abort(), RESPONSE_MILLISECONDS_MAXIMUM)
  try {
    const signal = init.signal ? AbortSignal.any([init.signal, expiry.signal]) : expiry.signal
    const response = await fetch(input, { ...init, signal })
    setReachable(true)
    return response
  } catch (error) {
    // A request that its caller aborted says nothing about the connection.
    if (error instanceof TypeError || expiry.signal.aborted) setReachable(false)
    throw error
  } finally {
    clearTimeout(timer)
  }
}
