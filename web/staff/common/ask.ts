import { request } from '../../shared/api/request.ts'

type Query = Record<string, string | number | string[] | undefined>

/** Asks a staff endpoint that the official client does not have. Empty parameters are left out. */
export function ask<Data>(endpoint: string, query: Query = {}): Promise<Data> {
  const parameters = new URLSearchParams()
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values ?? ''].flat()) if (value !== '') parameters.append(name, String(value))
  }
  return request<Data>(`/api/auth/admin/${endpoint}?${parameters}`)
}

export function tell<Data>(endpoint: string, body: object): Promise<Data> {
  return request<Data>(`/api/auth/admin/${endpoint}`, body)
}
