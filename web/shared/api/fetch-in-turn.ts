import { setReachable } from './connection.ts'

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

async function fetchAndNotice(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, init)
    setReachable(true)
    return response
  } catch (error) {
    // An aborted request says nothing about the connection.
    if (error instanceof TypeError) setReachable(false)
    throw error
  }
}
