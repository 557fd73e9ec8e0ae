import { passkeyClient } from '@better-auth/passkey/client'
import { queryOptions } from '@tanstack/react-query'
import { createAuthClient } from 'better-auth/client'
import type { Static } from 'typebox'
import type { Passkey as PasskeyOnWire } from '../../../server/features/account/passkeys/schemas.ts'
import { fetchInFreshSession } from './fetch-in-fresh-session.ts'
import { request } from './request.ts'
import { RequestFailed } from './request-failed.ts'

// A client without `throw`: the passkey plugin catches errors that are thrown during a ceremony, and loses their code.
const client = createAuthClient({
  plugins: [passkeyClient()],
  fetchOptions: { customFetchImpl: fetchInFreshSession },
})

export type Passkey = Static<typeof PasskeyOnWire>

type Result<Data> = {
  data: Data | null
  error: { status: number; code?: string | undefined; message?: string | undefined } | null
}

/** The passkeys of the user. The types of the official client lack the last use and the name of the authenticator. */
export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: () => request<Passkey[]>('/api/auth/passkey/list-user-passkeys'),
})

/** Adds a passkey to the account of the user. The service chooses its name. */
export async function addPasskey(): Promise<unknown> {
  return dataOf(await client.passkey.addPasskey())
}

/** Signs up with an invitation and a passkey, without a password. */
export async function signUpWithPasskey(name: string): Promise<unknown> {
  return dataOf(await client.passkey.addPasskey({ name, context: 'sign-up', createSession: true }))
}

export async function renamePasskey(id: string, name: string): Promise<unknown> {
  return dataOf(await client.passkey.updatePasskey({ id, name }))
}

export async function removePasskey(id: string): Promise<unknown> {
  return dataOf(await client.passkey.deletePasskey({ id }))
}

function dataOf<Data>({ data, error }: Result<Data>): Data {
  if (error === null && data !== null) return data
  throw new RequestFailed({
    status: error?.status ?? 0,
    code: error?.code ?? 'UNKNOWN',
    message: error?.message ?? '',
  })
}
