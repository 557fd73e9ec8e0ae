import type { Adapter } from 'oidc-provider'
import { deleteGrant, lockGrantForShare } from '../../../core/client-sessions/grant-store.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import type { OAuthArtifactRow } from '../../../platform/database/tables.ts'
import { writeIfPossible } from '../../../platform/database/write-if-possible.ts'
import type { OpenIdContext } from '../grants/openid-context.ts'
import { getRequestState } from '../grants/request-state.ts'
import { assertResource } from './assert-resource.ts'
import { withCurrentMethods } from './current-methods.ts'
import { insertAuthorization } from './insert-authorization.ts'
import { fromArtifact, toArtifact } from './payload.ts'
import { createPlainAdapter } from './plain-adapter.ts'
import {
  consumeArtifact,
  DISPLACED_AT,
  displaceUnusedSuccessor,
  findArtifact,
  hashOfArtifact,
  hasUsedSuccessor,
  replacePolledAt,
  updateArtifact,
} from './store.ts'

/** A client that lost the response to a refresh may repeat the request for this time. */
const GRACE_MILLISECONDS = 30_000
/**
 * A request without a response after this time was interrupted. A refresh may then be repeated, so a crash ends no
 * session. A stored time that is ahead by more than this was stored by a wrong clock.
 */
const ANSWER_MILLISECONDS = { AuthorizationCode: 10_000, RefreshToken: 2_000 }

type ConsumableKind = 'AuthorizationCode' | 'RefreshToken'

/** Codes: each is redeemed once, and a replay deletes the grant (RFC 6749, section 4.1.2). */
export function createCodeAdapter(context: OpenIdContext): Adapter {
  return {
    ...createConsumableAdapter(context, 'AuthorizationCode'),
    upsert: (value, payload, lifetimeSeconds = 0) =>
      insertAuthorization(context, payload, (sid) =>
        toArtifact(context, 'AuthorizationCode', value, { ...payload, sid }, lifetimeSeconds),
      ),
  }
}

/** Codes and refresh tokens. */
export function createConsumableAdapter(context: OpenIdContext, kind: ConsumableKind): Adapter {
  const { database, library, now } = context

  return {
    ...createPlainAdapter(context, kind),
    async find(value) {
      const row = await findArtifact(database, hashOfArtifact(kind, value), now())
      if (!row) return undefined
      const payload = await withCurrentMethods(context, fromArtifact(context, row, value))
      getRequestState().found = payload
      if (row.consumedAt === null || (await isInGrace(row))) return payload
      const { ctx } = library.Provider
      // Revocation also accepts a replaced token: a thief may have replaced the token of the client that signs out.
      if (ctx?.oidc.route === 'revocation') return payload
      if (ctx?.oidc.route !== 'token' || ctx.oidc.client?.clientId !== row.clientId) return undefined
      if (wasConcurrent(row)) return payload
      await revokeReplayed(context, row)
      return { ...payload, consumed: true }
    },
    async consume(value) {
      assertResource(library)
      const idHash = hashOfArtifact(kind, value)
      const isConsumed = (await consumeArtifact(database, idHash, now())) || (await retry(idHash))
      if (!isConsumed) return refuseAndRevokeTheft(idHash)
      const state = getRequestState()
      if (kind === 'RefreshToken') state.rotation ??= { predecessorHash: idHash, retriedAt: null }
      state.settle = () => writeIfPossible(context, () => updateArtifact(database, idHash, { answeredAt: now() }))
    },
  }

  /** Whether another request with the same token was unfinished. This request is refused, but it is no replay. */
  function wasConcurrent({ consumedAt, polledAt, answeredAt }: OAuthArtifactRow): boolean {
    const limitMilliseconds = ANSWER_MILLISECONDS[kind]
    const { arrivedAt } = getRequestState()
    // A time of a clock that was ahead does not count. Otherwise a theft would look like a concurrent retry until the
    // clock has caught up.
    const counts = (time: number | null): time is number => time !== null && time <= now() + limitMilliseconds
    if (answeredAt !== null) return counts(answeredAt) && answeredAt >= arrivedAt
    // Before the response, another request can only be a concurrent retry: the response can't be lost or stolen yet.
    return [consumedAt, polledAt].some((startedAt) => counts(startedAt) && startedAt + limitMilliseconds >= arrivedAt)
  }

  /** The clock of another process may be behind. A lost response can be repeated there, too. */
  async function isInGrace({ idHash, consumedAt }: OAuthArtifactRow): Promise<boolean> {
    if (kind !== 'RefreshToken' || consumedAt === null) return false
    if (Math.abs(now() - consumedAt) > GRACE_MILLISECONDS) return false
    return !(await hasUsedSuccessor(database, idHash))
  }

  /** Displaces the refresh token of the lost response. One of several concurrent retries succeeds. */
  async function retry(idHash: string): Promise<boolean> {
    const row = await findArtifact(database, idHash, now())
    if (!row || wasConcurrent(row) || !(await isInGrace(row))) return false
    // Must be later than a retry in the same millisecond, so that only one of the two succeeds.
    const retriedAt = Math.max(now(), (row.polledAt ?? 0) + 1)
    const isRetried = await inTransaction(context, getRequestState().actor, async ({ transaction }) => {
      // A sign-out deletes the grant before its tokens, in any order of them, which could deadlock.
      if (!(await lockGrantForShare(transaction, row.grantId ?? ''))) return false
      if (!(await replacePolledAt(transaction, idHash, row.polledAt, retriedAt))) return false
      await updateArtifact(transaction, idHash, { answeredAt: null })
      await displaceUnusedSuccessor(transaction, idHash)
      return !(await hasUsedSuccessor(transaction, idHash))
    })
    if (isRetried) getRequestState().rotation = { predecessorHash: idHash, retriedAt }
    return isRetried
  }

  /** The use of a displaced token shows a theft. The token may have been displaced after it was found. */
  async function refuseAndRevokeTheft(idHash: string): Promise<never> {
    const row = await findArtifact(database, idHash, now())
    if (row?.consumedAt === DISPLACED_AT) await revokeReplayed(context, row)
    throw new library.errors.InvalidGrant(`the ${nameOf(kind)} was used concurrently`)
  }
}

async function revokeReplayed(context: OpenIdContext, { kind, grantId, clientId }: OAuthArtifactRow): Promise<void> {
  if (grantId === null) return
  const action = kind === 'AuthorizationCode' ? 'oauth-code.replayed' : 'oauth-refresh.reused'
  await inTransaction(context, getRequestState().actor, async (unit) => {
    const grant = await deleteGrant(unit, grantId)
    if (grant) await unit.record({ action, subjectId: grant.userId, details: { clientId } })
  })
}

function nameOf(kind: ConsumableKind): string {
  return kind === 'AuthorizationCode' ? 'authorization code' : 'refresh token'
}
