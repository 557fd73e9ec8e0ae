import { type Parameters, queryString } from '../../shared/api/query-string.ts'
import { request } from '../../shared/api/request.ts'

/** The types of the official client lack fields of these endpoints, and some endpoints. */
export function getStaffEndpoint<Data>(endpoint: string, query: Parameters = {}): Promise<Data> {
  return request<Data>(`/api/auth/admin/${endpoint}?${queryString(query)}`)
}

export function postStaffEndpoint<Data>(endpoint: string, body: object): Promise<Data> {
  return request<Data>(`/api/auth/admin/${endpoint}`, body)
}
