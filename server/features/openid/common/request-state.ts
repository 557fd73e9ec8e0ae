import { AsyncLocalStorage } from 'node:async_hooks'
import type { AdapterPayload } from 'oidc-provider'
import type { Membership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Wait } from '../../../platform/database/turns.ts'
import type { GrantSubject } from './subjects.ts'

export interface RequestState {
  caller: Caller | null
  actor: Actor
  /** Epoch milliseconds. */
  arrivedAt: number
  subjects: Map<string, Promise<GrantSubject | undefined>>
  /** The organization of the authorization; undefined without the scope `organization`. */
  membership?: Membership | undefined
  /** The code, device code or refresh token that the request has found. */
  found?: AdapterPayload
  /** The user of the `id_token_hint` in the pushed request that the request has found. */
  hintedUserId?: string | undefined
  /** Epoch milliseconds. */
  accessTokenEnd?: number
  rotation?: Rotation
  /** Stores that the redemption is answered. Called when the response is ready. */
  settle?: () => Promise<unknown>
  /** Lets the request wait for its turn, and leave the queue when its client disconnects. */
  waitForTurn: (wait: Wait) => void
  /** @throws ApiError when the client has closed the connection */
  assertConnected: () => Promise<void>
  endTurn?: () => void
  isAssertionUsed?: boolean
  /** The choice on the log-out page: to sign out everywhere, or only at the client. */
  logOut?: { isSignedOut: boolean; clientId: string | undefined }
  failure?: unknown
}

export interface Rotation {
  predecessorHash: string
  /** When the token was last retried after a lost response. A later retry changes this time. */
  retriedAt: number | null
  successor: string
}

const storage = new AsyncLocalStorage<RequestState>()

export function runWithState<Result>(state: RequestState, work: () => Promise<Result>): Promise<Result> {
  return storage.run(state, work)
}

/** Stored outside of the request, because the library calls our code without the request of Fastify. */
export function getRequestState(): RequestState {
  const state = storage.getStore()
  if (!state) throw new Error('The provider was called outside a request')
  return state
}
