import type { Context } from '../../../core/context.ts'
import { metadataOf } from '../../../core/oauth-clients/store.ts'
import type { OAuthClientRow } from '../../../platform/database/tables.ts'
import type { GuardedFetch } from '../../../platform/http/guarded-fetch.ts'
import type { SigningKeys } from '../../tokens/signing-keys.ts'
import { createLogoutToken } from './logout-token.ts'
import type { LeasedLogOut } from './store.ts'

export interface LogOutOutcome {
  /** `unavailable`: no response, or status 429 or 5xx. `postponed`: no key to sign. `dropped` is final. */
  verdict: 'delivered' | 'refused' | 'unavailable' | 'postponed' | 'dropped'
  /** The status of the response, or why there is none. Never contains the body, which is text of the client. */
  reason: string
}

export interface LogOutSender {
  signingKeys: SigningKeys
  fetch: GuardedFetch
}

/** Writes nothing to the database. */
export async function attemptLogOut(
  context: Context,
  { signingKeys, fetch }: LogOutSender,
  client: OAuthClientRow | undefined,
  logOut: LeasedLogOut,
): Promise<LogOutOutcome> {
  if (client === undefined) return { verdict: 'dropped', reason: 'The client was deleted.' }
  const { backchannelLogoutUri } = client
  if (backchannelLogoutUri === null) return { verdict: 'dropped', reason: 'The client has no backchannel_logout_uri.' }
  let token: string
  try {
    token = await createLogoutToken(context, signingKeys, logOut, metadataOf(client).id_token_signed_response_alg)
  } catch (error) {
    return { verdict: 'postponed', reason: (error as Error).message }
  }
  try {
    return outcomeOfStatus(await post(fetch, backchannelLogoutUri, token))
  } catch (error) {
    return { verdict: 'unavailable', reason: reasonOf(error as NodeJS.ErrnoException) }
  }
}

/** An error of a host with several addresses has a code, and no message. */
function reasonOf({ message, code = '' }: NodeJS.ErrnoException): string {
  return message || code
}

async function post(fetch: GuardedFetch, uri: string, token: string): Promise<number> {
  const body = new URLSearchParams({ logout_token: token })
  const response = await fetch(uri, { method: 'POST', body })
  await response.body?.cancel()
  return response.status
}

function outcomeOfStatus(status: number): LogOutOutcome {
  const reason = `The client responded with status ${status}.`
  if (status === 200 || status === 204) return { verdict: 'delivered', reason }
  return { verdict: status === 429 || status >= 500 ? 'unavailable' : 'refused', reason }
}
