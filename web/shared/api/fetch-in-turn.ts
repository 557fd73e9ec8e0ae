/**
 * As `fetch`, in turn with the requests of every open tab: reads run together, any other request runs alone. It may replace
 * the session's token, and a read under way with the old token would look like the end of the session.
 */
export function fetchInTurn(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const isRead = (init?.method ?? 'GET') === 'GET'
  return navigator.locks.request('session token', { mode: isRead ? 'shared' : 'exclusive' }, () => fetch(input, init))
}
