import type { Adapter } from 'oidc-provider'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockOAuthClientForShare } from '../../../core/oauth-clients/store.ts'
import type { OAuthArtifactRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { assertKnownScope } from '../common/assert-known-scope.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import { DEVICE_INTERVAL_SECONDS } from '../common/scopes.ts'
import { findGrantSubject } from '../grants/grant-subject.ts'
import { assertDeviceParameters } from './assert-device-parameters.ts'
import { assertResource } from './assert-resource.ts'
import { withCurrentMethods } from './current-methods.ts'
import { findInTurn } from './find-in-turn.ts'
import { fromArtifact, toArtifact } from './payload.ts'
import { createPlainAdapter } from './plain-adapter.ts'
import { consumeArtifact, hashOfArtifact, insertArtifact, replacePolledAt } from './store.ts'

const INTERVAL_MILLISECONDS = DEVICE_INTERVAL_SECONDS * 1000
/** Clients that wait for five seconds may arrive a little early. */
const TOLERANCE_MILLISECONDS = 1_000

export function createDeviceCodeAdapter(context: OpenIdContext): Adapter {
  const { database, library, now } = context

  function isTooSoon({ polledAt }: OAuthArtifactRow): boolean {
    const elapsed = now() - (polledAt ?? 0)
    // A time of a clock that was ahead does not count.
    return elapsed >= 0 && elapsed < INTERVAL_MILLISECONDS - TOLERANCE_MILLISECONDS
  }

  return {
    ...createPlainAdapter(context, 'DeviceCode'),
    async upsert(value, payload, lifetimeSeconds = 0) {
      assertDeviceParameters(library, library.Provider.ctx?.oidc.body ?? {})
      assertKnownScope(library, payload.params?.scope)
      const artifact = toArtifact(context, 'DeviceCode', value, payload, lifetimeSeconds)
      await inTransaction(context, getRequestState().actor, async ({ transaction }) => {
        await lockOAuthClientForShare(transaction, payload.clientId ?? '')
        await insertArtifact(transaction, artifact)
      }).catch((error) => {
        if (!(error instanceof ApiError)) throw error
        throw new library.errors.InvalidClient('the client was deleted or disabled concurrently', '')
      })
    },
    async find(value) {
      const row = await findInTurn(context, hashOfArtifact('DeviceCode', value))
      if (!row) return undefined
      const payload = await withCurrentMethods(context, fromArtifact(context, row, value))
      getRequestState().found = payload
      const isPending = payload.accountId === undefined && payload.error === undefined
      if (isPending && library.Provider.ctx?.oidc.client?.clientId === row.clientId) {
        // Without a write, because a client can send any number of such polls.
        if (isTooSoon(row)) throw new library.errors.SlowDown('wait for five seconds before you ask again')
        await replacePolledAt(database, row.idHash, row.polledAt, now())
      }
      return payload
    },
    async consume(value) {
      assertResource(library)
      await assertGrantLives(context)
      await getRequestState().assertConnected()
      if (await consumeArtifact(database, hashOfArtifact('DeviceCode', value), now())) return
      throw new library.errors.InvalidGrant('the device code was used before')
    },
  }
}

/** The library looks the grant up after it has consumed the code. A policy may refuse the grant only for now. */
async function assertGrantLives(context: OpenIdContext): Promise<void> {
  const { grantId } = getRequestState().found ?? {}
  // A code without a grant was refused by the user.
  if (grantId === undefined || (await findGrantSubject(context, grantId))) return
  throw new context.library.errors.InvalidGrant('the approval of the user has ended, or a policy refuses it for now')
}
