import type { Adapter } from 'oidc-provider'
import { deleteGrant, lockGrantForShare } from '../../../core/client-sessions/grant-store.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import type { OAuthArtifactRow } from '../../../platform/database/tables.ts'
import { writeIfPossible } from '../../../platform/database/write-if-possible.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { getRequestState, type Rotation } from '../common/request-state.ts'
import { assertResource } from './assert-resource.ts'
import { withCurrentMethods } from './current-methods.ts'
import { findInTurn } from './find-in-turn.ts'
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
  lockArtifactForUpdate,
  replacePolledAt,
  settleArtifact,
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
type TokenUse = Pick<Rotation, 'retriedAt'>

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

export function createConsumableAdapter(context: OpenIdContext, kind: ConsumableKind): Adapter {
  const { database, keyring, library, now } = context

  return {
    ...createPlainAdapter(context, kind),
    async find(value) {
      const row = await findInTurn(context, hashOfArtifact(kind, value))
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
      await getRequestState().assertConnected()
      const isConsumed = await consumeArtifact(database, idHash, now())
      const use = isConsumed ? { retriedAt: null } : await repeat(idHash)
      if (!use) return refuseAndRevokeTheft(idHash)
      const state = getRequestState()
      if (kind === 'RefreshToken')
        state.rotation = { predecessorHash: idHash, ...use, successor: successorOf(value, use) }
      state.settle = () => writeIfPossible(context, () => settleArtifact(database, idHash, use.retriedAt, now()))
    },
  }

  /** Whether another request with the same code or token was unfinished. Then this request is no replay. */
  function wasConcurrent({ consumedAt, polledAt, answeredAt }: OAuthArtifactRow): boolean {
    const limitMilliseconds = ANSWER_MILLISECONDS[kind]
    const { arrivedAt } = getRequestState()
    // A time of a clock that was ahead does not count. Otherwise a theft would look like a concurrent retry.
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

  /**
   * A concurrent request, such as that of another tab, gets the same successor. A later request lost the response: the
   * token of that response is displaced. @returns undefined when the code or token is used up
   */
  async function repeat(idHash: string): Promise<TokenUse | undefined> {
    const row = await findArtifact(database, idHash, now())
    if (!row || !(await isInGrace(row))) return undefined
    if (wasConcurrent(row)) return { retriedAt: row.polledAt }
    // Must be later than a retry in the same millisecond, so that only one of the two displaces a token.
    const retriedAt = Math.max(now(), (row.polledAt ?? 0) + 1)
    return inTransaction(context, getRequestState().actor, async ({ transaction }) => {
      // The request may have waited for its database connection.
      await getRequestState().assertConnected()
      // A sign-out deletes the grant before its tokens, in any order of them, which could deadlock.
      if (!(await lockGrantForShare(transaction, row.grantId ?? ''))) return undefined
      if (!(await replacePolledAt(transaction, idHash, row.polledAt, retriedAt))) {
        const retried = await lockArtifactForUpdate(transaction, idHash)
        return retried && { retriedAt: retried.polledAt }
      }
      await updateArtifact(transaction, idHash, { answeredAt: null })
      await displaceUnusedSuccessor(transaction, idHash)
      return (await hasUsedSuccessor(transaction, idHash)) ? undefined : { retriedAt }
    })
  }

  /** The same for concurrent requests in every process. A retry changes its time, and so the successor. */
  function successorOf(value: string, { retriedAt }: TokenUse): string {
    return keyring.mac('refresh token', `${value} ${retriedAt ?? ''}`)
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
  const { actor, assertConnected } = getRequestState()
  await assertConnected()
  await inTransaction(context, actor, async (unit) => {
    // The request may have waited for its database connection.
    await assertConnected()
    const grant = await deleteGrant(unit, grantId)
    if (grant) await unit.record({ action, subjectId: grant.userId, details: { clientId } })
  })
}

function nameOf(kind: ConsumableKind): string {
  return kind === 'AuthorizationCode' ? 'authorization code' : 'refresh token'
}
