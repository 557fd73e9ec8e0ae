import { fetchInFreshSession } from './fetch-in-fresh-session.ts'
import { RequestFailed } from './request-failed.ts'

/** Asks one of the service's endpoints that the official client doesn't know. Throws a RequestFailed. */
export async function request<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await fetchInFreshSession(path, body === undefined ? {} : post(body))
  const answer: Answer = await response.json().catch(() => ({}))
  if (!response.ok) throw RequestFailed.fromAnswer(response, Object(answer))
  return answer
}

function post(body: object): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
