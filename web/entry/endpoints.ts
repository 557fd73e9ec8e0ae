import { queryOptions } from '@tanstack/react-query'
import { request } from '../shared/api/request.ts'

export type FirstAdministrator = { token: string; name: string; email: string; password: string }

/** A passkey of the user whose password is reset. */
export type PasskeyOfReset = { id: string; name: string; createdAt: string; isNew: boolean }

export type NewPassword = { token: string; newPassword: string; removePasskeys: string[] }

export function setUp(administrator: FirstAdministrator): Promise<unknown> {
  return request('/api/setup', administrator)
}

export function resetPassword(input: NewPassword): Promise<unknown> {
  return request('/api/auth/reset-password', input)
}

export const passkeysOfResetQuery = (token: string) =>
  queryOptions({
    queryKey: ['passkeys of reset', token],
    queryFn: () => request<PasskeyOfReset[]>('/api/reset-password/passkeys', { token }),
  })
