import { AsyncLocalStorage } from 'node:async_hooks'
import type { Membership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { GrantSubject } from './grant-subject.ts'

/** The state of a request that the library answers, for our code that the library calls. */
export interface RequestState {
  caller: Caller | null
  actor: Actor
  /** Epoch milliseconds. */
  arrivedAt: number
  /** The grants that the request has read. */
  subjects: Map<string, Promise<GrantSubject | undefined>>
  /** The organization of the authorization; undefined without the scope `organization`. */
  membership?: Membership | undefined
  /** A rotation of a refresh token has begun. */
  rotation?: Rotation
  /** To call when the answer of a redemption is ready. */
  settle?: () => Promise<unknown>
  /** The confirmed log-out page: of the session, or of its session at the client. */
  logOut?: { isSignedOut: boolean; clientId: string | undefined }
  /** The cause of a response with status 500. */
  failure?: unknown
}

export interface Rotation {
  predecessorHash: string
  /** Changed by a concurrent retry. */
  retriedAt: number | null
}

const storage = new AsyncLocalStorage<RequestState>()

export function runWithState<Result>(state: RequestState, work: () => Promise<Result>): Promise<Result> {
  return storage.run(state, work)
}

/** The library calls our code without the request of Fastify. */
export function getRequestState(): RequestState {
  const state = storage.getStore()
  if (!state) throw new Error('The provider was called outside a request')
  return state
}
