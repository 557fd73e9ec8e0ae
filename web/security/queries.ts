import { queryOptions } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { listPasskeys } from '../shared/api/passkeys.ts'

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => authentication.listSessions(),
})

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: listPasskeys,
})

/** A user without a password signs in with passkeys alone. */
export const hasPasswordQuery = queryOptions({
  queryKey: ['has password'],
  queryFn: async () => (await authentication.listAccounts()).some(({ providerId }) => providerId === 'credential'),
})
