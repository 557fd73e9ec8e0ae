import type { Adapter, AdapterPayload } from 'oidc-provider'
import { deleteGrant, lockGrantForShare } from '../../../core/client-sessions/grant-store.ts'
import { updateClientSessionUse } from '../../../core/client-sessions/store.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { splitKnownScopes, splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { type Allowed, findConsent, isAllowed, toAllowed } from '../../../core/oauth-consents/store.ts'
import { saveUse } from '../../../core/sessions/find-caller.ts'
import type { OAuthArtifactRow } from '../../../platform/database/tables.ts'
import { writeIfPossible } from '../../../platform/database/write-if-possible.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { ownMetadataOf } from '../grants/client-metadata.ts'
import { findGrantSubject, scopesOfNow } from '../grants/grant-subject.ts'
import type { Library, OpenIdContext } from '../grants/openid-context.ts'
import { getRequestState } from '../grants/request-state.ts'
import { assertAllowed } from './assert-allowed.ts'
import { assertResource } from './assert-resource.ts'
import { insertAuthorization } from './insert-authorization.ts'
import { withMethodsOfNow } from './methods-of-now.ts'
import { fromArtifact, toArtifact } from './payload.ts'
import { createPlainAdapter } from './plain-adapter.ts'
import { deleteOldestReplaced } from './replaced-tokens.ts'
import {
  consumeArtifact,
  DISPLACED_AT,
  displaceUnusedSuccessor,
  findArtifact,
  hashOf,
  hasUsedSuccessor,
  insertArtifact,
  lockArtifactForUpdate,
  replacePolledAt,
  updateArtifact,
} from './store.ts'

/** A client that lost the response to a refresh may repeat the request for this time. */
const GRACE_MILLISECONDS = 30_000
/**
 * A request without a response after this time was interrupted. A refresh may then be repeated, so a crash ends no
 * session.
 */
const ANSWER_MILLISECONDS = { AuthorizationCode: 10_000, RefreshToken: 2_000 }
/**
 * Every tenth refresh deletes old replaced tokens. The use of a deleted token is refused, but can't revoke the family,
 * because the token is unknown.
 */
const ROTATIONS_PER_DELETION = 10

const NOT_ALLOWED = 'the user does not allow this app any more'

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

/** Refresh tokens: a refresh replaces the token, and a replay deletes the grant (RFC 9700, section 4.14). */
export function createRefreshTokenAdapter(context: OpenIdContext): Adapter {
  const { library } = context
  const adapter = createConsumableAdapter(context, 'RefreshToken')
  return {
    ...adapter,
    async find(value) {
      const payload = await adapter.find(value)
      if (payload && library.Provider.ctx?.oidc.route === 'introspection') return toIntrospected(context, payload)
      if (payload) leaveOutIgnoredScopes(library, splitScopes(payload.scope))
      return payload
    },
    async consume(value) {
      // The library uses the token up before it saves the next one. The client may send this one again after the user has
      // allowed the app again.
      const { found } = getRequestState()
      if (found && !(await isConsentGiven(context, found))) throw new library.errors.InvalidGrant(NOT_ALLOWED)
      await adapter.consume(value)
    },
    async upsert(value, payload, lifetimeSeconds = 0) {
      const { rotation, actor } = getRequestState()
      const { accountId: userId = '', clientId = '' } = payload
      const artifact = toArtifact(context, 'RefreshToken', value, payload, lifetimeSeconds)
      const needed = await findNeededConsent(context, payload)
      await inTransaction(context, actor, async ({ transaction }) => {
        // Locks the client first, as its deletion does.
        await assertAllowed(transaction, { userId, clientId }, needed)
        // Locks the session at the client before the grant, as a sign-out does: the other order could deadlock.
        if (rotation && payload.sid !== undefined) await updateClientSessionUse(transaction, payload.sid, context.now())
        if (!(await lockGrantForShare(transaction, payload.grantId ?? '')))
          throw new library.errors.InvalidGrant('the access was revoked concurrently')
        if (!rotation) {
          await insertArtifact(transaction, artifact)
          return
        }
        const { predecessorHash, retriedAt } = rotation
        const predecessor = await lockArtifactForUpdate(transaction, predecessorHash)
        if (predecessor?.polledAt !== retriedAt)
          throw new library.errors.InvalidGrant('the refresh token was used concurrently')
        await insertArtifact(transaction, { ...artifact, predecessorHash })
        if (Number(payload.rotations) % ROTATIONS_PER_DELETION === 0)
          await deleteOldestReplaced(transaction, { grantId: payload.grantId ?? '', userId })
      }).catch((error) => {
        if (!(error instanceof ApiError)) throw error
        throw new library.errors.InvalidGrant(NOT_ALLOWED)
      })
      if (rotation) await saveUseOfSession(context, payload.grantId)
    },
    // The library also revokes the grant, which deletes the token in one transaction. Alone, a deleted token would hide
    // the grant from a repeated revocation.
    destroy: async () => {},
  }
}

/** What a refresh token needs the user to allow. */
async function findNeededConsent(context: OpenIdContext, { grantId = '', scope }: AdapterPayload): Promise<Allowed> {
  const subject = await findGrantSubject(context, grantId)
  return toAllowed(splitScopes(scope), subject?.grant.organizationId ?? null)
}

/** Reads without a lock what the transaction of a refresh checks again. */
async function isConsentGiven(context: OpenIdContext, payload: AdapterPayload): Promise<boolean> {
  const { database, library } = context
  const { accountId: userId = '', clientId = '' } = payload
  if (ownMetadataOf(library.Provider.ctx?.oidc.client ?? {}).skipConsent) return true
  return isAllowed(await findConsent(database, { userId, clientId }), await findNeededConsent(context, payload))
}

/**
 * A refresh keeps the scopes in the token, because the client may be allowed them again later.
 * @returns undefined for a token that a refresh refuses for now
 */
async function toIntrospected(context: OpenIdContext, payload: AdapterPayload): Promise<AdapterPayload | undefined> {
  if (!(await isConsentGiven(context, payload))) return undefined
  const subject = await findGrantSubject(context, payload.grantId ?? '')
  return subject ? { ...payload, scope: scopesOfNow(payload.scope, subject.grant).join(' ') } : payload
}

/**
 * Clients such as Authlib repeat the scope of their authorization request at each refresh. That request ignores unknown
 * scopes, and `offline_access` of a first-party client. The library would refuse them here.
 */
function leaveOutIgnoredScopes({ Provider }: Library, granted: string[]): void {
  const { params } = Provider.ctx?.oidc ?? {}
  if (typeof params?.scope !== 'string') return
  const scopes = splitKnownScopes(params.scope).filter((scope) => scope !== 'offline_access' || granted.includes(scope))
  if (scopes.length > 0) params.scope = scopes.join(' ')
}

/** A refresh is a use of the session, which it extends as every request of the user does. */
async function saveUseOfSession(context: OpenIdContext, grantId: string | undefined): Promise<void> {
  const subject = grantId === undefined ? undefined : await findGrantSubject(context, grantId)
  if (subject) await saveUse(context, subject)
}

function createConsumableAdapter(context: OpenIdContext, kind: ConsumableKind): Adapter {
  const { database, library, now } = context

  return {
    ...createPlainAdapter(context, kind),
    async find(value) {
      const row = await findArtifact(database, hashOf(kind, value), now())
      if (!row) return undefined
      const payload = await withMethodsOfNow(context, fromArtifact(context, row, value))
      getRequestState().found = payload
      if (row.consumedAt === null || wasConcurrent(row) || (await isInGrace(row))) return payload
      const { ctx } = library.Provider
      // Revocation also accepts a replaced token: a thief may have replaced the token of the client that signs out.
      if (ctx?.oidc.route === 'revocation') return payload
      if (ctx?.oidc.route !== 'token' || ctx.oidc.client?.clientId !== row.clientId) return undefined
      await revokeReplayed(context, row)
      return { ...payload, consumed: true }
    },
    async consume(value) {
      assertResource(library)
      const idHash = hashOf(kind, value)
      const isConsumed = (await consumeArtifact(database, idHash, now())) || (await retry(idHash))
      if (!isConsumed) return refuse(idHash)
      const state = getRequestState()
      if (kind === 'RefreshToken') state.rotation ??= { predecessorHash: idHash, retriedAt: null }
      state.settle = () => writeIfPossible(context, () => updateArtifact(database, idHash, { answeredAt: now() }))
    },
  }

  /** The use of a displaced token shows a theft. The token may have been displaced after it was found. */
  async function refuse(idHash: string): Promise<never> {
    const row = await findArtifact(database, idHash, now())
    if (row?.consumedAt === DISPLACED_AT) await revokeReplayed(context, row)
    throw new library.errors.InvalidGrant(`the ${nameOf(kind)} was used concurrently`)
  }

  /** Whether another request with the same token was unfinished. This request is refused, but it is no replay. */
  function wasConcurrent({ consumedAt, polledAt, answeredAt }: OAuthArtifactRow): boolean {
    if (consumedAt === null) return false
    // Before the response, another request can only be a concurrent retry: the response can't be lost or stolen yet.
    const busyUntil = answeredAt ?? Math.max(consumedAt, polledAt ?? 0) + ANSWER_MILLISECONDS[kind]
    return busyUntil >= getRequestState().arrivedAt
  }

  async function isInGrace({ idHash, consumedAt }: OAuthArtifactRow): Promise<boolean> {
    if (kind !== 'RefreshToken' || consumedAt === null || now() - consumedAt > GRACE_MILLISECONDS) return false
    return !(await hasUsedSuccessor(database, idHash))
  }

  /** Displaces the refresh token of the lost response. One of several concurrent retries succeeds. */
  async function retry(idHash: string): Promise<boolean> {
    const row = await findArtifact(database, idHash, now())
    if (!row || wasConcurrent(row) || !(await isInGrace(row))) return false
    // Must be later than a retry in the same millisecond, so that only one of the two succeeds.
    const retriedAt = Math.max(now(), (row.polledAt ?? 0) + 1)
    const isRetried = await inTransaction(context, getRequestState().actor, async ({ transaction }) => {
      if (!(await replacePolledAt(transaction, idHash, row.polledAt, retriedAt))) return false
      await updateArtifact(transaction, idHash, { answeredAt: null })
      await displaceUnusedSuccessor(transaction, idHash)
      return !(await hasUsedSuccessor(transaction, idHash))
    })
    if (isRetried) getRequestState().rotation = { predecessorHash: idHash, retriedAt }
    return isRetried
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
