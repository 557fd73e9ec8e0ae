import { decodeJwt, UnsecuredJWT } from 'jose'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { assertKnownScope } from '../common/assert-known-scope.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import { fromArtifact, toArtifact } from './payload.ts'
import { UNSTORED } from './plain-adapter.ts'
import { consumeArtifact, findArtifact, hashOfArtifact, insertArtifact } from './store.ts'

const KIND = 'PushedAuthorizationRequest'

interface PushedRequest extends AdapterPayload {
  hintedUserId?: string | undefined
}

/** RFC 9126. Stores the user of an `id_token_hint` instead of the ID token: the database contains no usable token. */
export function createPushedRequestAdapter(context: OpenIdContext): Adapter {
  const { database, library, now } = context
  return {
    ...UNSTORED,
    async upsert(value, payload, lifetimeSeconds = 0) {
      const { id_token_hint: _, ...parameters } = decodeJwt(payload.request ?? '')
      assertKnownScope(library, parameters.scope)
      const hintedUserId = library.Provider.ctx?.oidc.entities.IdTokenHint?.payload.sub as string | undefined
      const pushed: PushedRequest = { ...payload, request: new UnsecuredJWT(parameters).encode(), hintedUserId }
      await insertArtifact(database, toArtifact(context, KIND, value, pushed, lifetimeSeconds))
    },
    async find(value) {
      const row = await findArtifact(database, hashOfArtifact(KIND, value), now())
      if (!row) return undefined
      const pushed: PushedRequest = fromArtifact(context, row, value)
      getRequestState().hintedUserId = pushed.hintedUserId
      return { ...pushed, consumed: row.consumedAt !== null }
    },
    async consume(value) {
      if (await consumeArtifact(database, hashOfArtifact(KIND, value), now())) return
      throw new library.errors.InvalidRequestUri('the request_uri was used concurrently')
    },
  }
}
