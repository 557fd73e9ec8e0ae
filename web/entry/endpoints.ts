import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { PasskeysOfReset, ResetPasswordBody, SignUpBody } from '../../server/features/account/passwords/schemas.ts'
import { request } from '../shared/api/request.ts'

type FirstAdministrator = { token: string } & Pick<Static<typeof SignUpBody>, 'name' | 'email' | 'password'>

export type PasskeyOfReset = Static<typeof PasskeysOfReset>[number]

export function setUp(administrator: FirstAdministrator): Promise<unknown> {
  return request('/api/setup', administrator)
}

export function resetPassword(input: Static<typeof ResetPasswordBody>): Promise<unknown> {
  return request('/api/auth/reset-password', input)
}

export const passkeysOfResetQuery = (token: string) =>
  queryOptions({
    queryKey: ['passkeys of reset', token],
    queryFn: () => request<Static<typeof PasskeysOfReset>>('/api/reset-password/passkeys', { token }),
    // A passkey of an intruder must not appear later, ticked, in a list that the user has read.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
