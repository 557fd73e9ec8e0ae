import type { Adapter, UnknownObject } from 'oidc-provider'
import type { ArtifactKind } from '../../../platform/database/tables.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import { fromArtifact, toArtifact } from './payload.ts'
import { deleteArtifact, findArtifact, hashOfArtifact, insertArtifact, updateArtifact } from './store.ts'

export const UNSTORED: Adapter = {
  upsert: async () => {
    throw new Error('The provider does not store this model')
  },
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
}

export function createPlainAdapter(context: OpenIdContext, kind: ArtifactKind): Adapter {
  const { database, now } = context
  return {
    ...UNSTORED,
    async upsert(value, payload, lifetimeSeconds = 0) {
      const artifact = toArtifact(context, kind, value, payload, lifetimeSeconds)
      if (await insertArtifact(database, artifact)) return
      await updateArtifact(database, artifact.idHash, { payload: artifact.payload, expiresAt: artifact.expiresAt })
    },
    async find(value) {
      const row = await findArtifact(database, hashOfArtifact(kind, value), now())
      return row && fromArtifact(context, row, value)
    },
    destroy: (value) => deleteArtifact(database, hashOfArtifact(kind, value)),
  }
}

/**
 * The library binds an interaction to its session, but a sign-in starts another one. So the id is removed, and the
 * policy compares when the session began. `returnTo` is removed, because its last part is the id of the interaction, of
 * which the database has only the hash. The ID token of a hint is removed: the database contains no usable token.
 */
export function createInteractionAdapter(context: OpenIdContext): Adapter {
  const adapter = createPlainAdapter(context, 'Interaction')
  return {
    ...adapter,
    upsert(value, { returnTo: _, ...payload }, lifetimeSeconds) {
      const { uid: __, ...session } = payload.session ?? {}
      const params = withoutHint(payload.params)
      const prompt = payload.prompt && { ...payload.prompt, details: withoutHint(payload.prompt.details) }
      return adapter.upsert(value, { ...payload, session, params, prompt }, lifetimeSeconds)
    },
  }
}

function withoutHint({ id_token_hint: _, ...others }: UnknownObject = {}): UnknownObject {
  return others
}

/** The library accepts a proof from a clock up to 300 whole seconds ahead, and stores it as if the clock were right. */
const CLOCK_AHEAD_SECONDS = 301

/** Each DPoP proof and each client assertion is used once: of concurrent requests with it, only one can insert it. */
export function createReplayAdapter(context: OpenIdContext): Adapter {
  const { database, library } = context
  return {
    // The library finds none, so each request tries to insert.
    ...UNSTORED,
    async upsert(value, payload, lifetimeSeconds = 0) {
      const state = getRequestState()
      // The library verifies the proof of a client after its assertion.
      const isAssertion = library.Provider.ctx?.oidc.params?.client_assertion !== undefined && !state.isAssertionUsed
      const artifact = toArtifact(context, 'ReplayDetection', value, payload, lifetimeSeconds + CLOCK_AHEAD_SECONDS)
      if (await insertArtifact(database, artifact)) {
        state.isAssertionUsed ||= isAssertion
        return
      }
      if (isAssertion) throw new library.errors.InvalidClientAuth('this assertion was used before: create a new one')
      throw new library.errors.InvalidDpopProof('this DPoP proof was used before: create a new one')
    },
  }
}
