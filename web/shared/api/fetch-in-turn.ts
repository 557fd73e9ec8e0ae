/**
 * `fetch` under a lock that all tabs share: reads run together, any other request runs alone. A write may replace the session
 * token, and a concurrent read with the old token would look like the end of the session.
 */
export function fetchInTurn(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const isRead = (init?.method ?? 'GET') === 'GET'
  return navigator.locks.request('session token', { mode: isRead ? 'shared' : 'exclusive' }, () => fetch(input, init))
}
