import { passkeyClient } from '@better-auth/passkey/client'
import { createAuthClient } from 'better-auth/client'
import { fetchInFreshSession } from './fetch-in-fresh-session.ts'
import { RequestFailed } from './request-failed.ts'

// One of its own: the plugin catches what is thrown while it talks to the browser and logs it, code and all lost.
const client = createAuthClient({
  plugins: [passkeyClient()],
  fetchOptions: { customFetchImpl: fetchInFreshSession },
})

export type Passkey = NonNullable<Awaited<ReturnType<typeof client.passkey.listUserPasskeys>>['data']>[number]

type Answer<Data> = {
  data: Data | null
  error: { status: number; code?: string | undefined; message?: string | undefined } | null
}

export const canUsePasskeys = 'PublicKeyCredential' in globalThis

export async function listPasskeys(): Promise<Passkey[]> {
  return dataOf(await client.passkey.listUserPasskeys())
}

/** Adds a passkey to the visitor's account. The service finds a name for it. */
export async function addPasskey(): Promise<unknown> {
  return dataOf(await client.passkey.addPasskey())
}

/** Makes an account, by invitation, that has a passkey and no password, and signs in to it. */
export async function signUpWithPasskey(name: string): Promise<unknown> {
  return dataOf(await client.passkey.addPasskey({ name, context: 'sign-up', createSession: true }))
}

/** Signs in; or shows who one is, when signed in. `autoFill` waits for a suggestion at a field to be chosen. */
export async function signInWithPasskey(autoFill = false): Promise<unknown> {
  return dataOf(await client.signIn.passkey({ autoFill }))
}

export async function renamePasskey(id: string, name: string): Promise<unknown> {
  return dataOf(await client.passkey.updatePasskey({ id, name }))
}

export async function removePasskey(id: string): Promise<unknown> {
  return dataOf(await client.passkey.deletePasskey({ id }))
}

function dataOf<Data>({ data, error }: Answer<Data>): Data {
  if (error === null && data !== null) return data
  throw new RequestFailed({
    status: error?.status ?? 0,
    code: error?.code ?? 'UNKNOWN',
    message: error?.message ?? '',
  })
}
