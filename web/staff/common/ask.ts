import { type Parameters, queryString } from '../../shared/api/query-string.ts'
import { request } from '../../shared/api/request.ts'

/** Asks a staff endpoint that the official client does not have. */
export function ask<Data>(endpoint: string, query: Parameters = {}): Promise<Data> {
  return request<Data>(`/api/auth/admin/${endpoint}?${queryString(query)}`)
}

export function tell<Data>(endpoint: string, body: object): Promise<Data> {
  return request<Data>(`/api/auth/admin/${endpoint}`, body)
}
