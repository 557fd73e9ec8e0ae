import { fetchInFreshSession } from './fetch-in-fresh-session.ts'
import { RequestFailed } from './request-failed.ts'

/** Calls an endpoint that the official client does not have. Throws a RequestFailed. */
export async function request<Data>(path: string, body?: object): Promise<Data> {
  const response = await fetchInFreshSession(path, body === undefined ? {} : post(body))
  const data: Data | undefined = await response.json().catch(() => undefined)
  if (!response.ok) throw RequestFailed.fromResponse(response, Object(data))
  // A proxy or the network has cut off the response.
  if (data === undefined) throw RequestFailed.withoutResponse(body !== undefined)
  return data
}

function post(body: object): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
