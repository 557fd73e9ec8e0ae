import { calculateJwkThumbprint, decodeProtectedHeader } from 'jose'
import type { Insertable, Kysely } from 'kysely'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { lockGrantForShare } from '../../../core/client-sessions/grant-store.ts'
import { updateClientSessionUse } from '../../../core/client-sessions/store.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { splitKnownScopes, splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { type Allowed, findConsent, isAllowed, toAllowed } from '../../../core/oauth-consents/store.ts'
import { saveUse } from '../../../core/sessions/find-caller.ts'
import type { OAuthArtifactRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { ownMetadataOf } from '../common/client-metadata.ts'
import type { Library, OpenIdContext } from '../common/openid-context.ts'
import { getRequestState, type Rotation } from '../common/request-state.ts'
import { findGrantSubject, hasOfflineAccess, scopesOfNow } from '../grants/grant-subject.ts'
import { assertAllowed } from './assert-allowed.ts'
import { createConsumableAdapter } from './consumable-adapter.ts'
import { toArtifact } from './payload.ts'
import { deleteOldestReplaced } from './replaced-tokens.ts'
import { insertArtifact, listSuccessors, lockArtifactForUpdate } from './store.ts'

/** Refreshes between two deletions of old replaced tokens. The use of a deleted token can't revoke its family. */
const ROTATIONS_PER_DELETION = 10

const NOT_ALLOWED = 'the user does not allow this app any more'
const OFFLINE_NOT_ALLOWED = 'the app may not ask for offline_access any more'

/** Refresh tokens: a refresh replaces the token, and a replay deletes the grant (RFC 9700, section 4.14). */
export function createRefreshTokenAdapter(context: OpenIdContext): Adapter {
  const { library, rateLimits } = context
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
      // Checked before the library uses the token up: the client may send it again after it is allowed again.
      const { found } = getRequestState()
      const refusal = found && (await findRefusal(context, found))
      if (refusal !== undefined) throw new library.errors.InvalidGrant(refusal)
      await rateLimits.chargeRefresh(found?.accountId ?? '')
      await adapter.consume(value)
    },
    async upsert(value, payload, lifetimeSeconds = 0) {
      const { rotation } = getRequestState()
      const bound = await bindToProof(library, payload)
      const artifact = toArtifact(context, 'RefreshToken', value, bound, lifetimeSeconds)
      await withConsent(context, payload, (transaction) =>
        rotation
          ? insertRotated(context, transaction, artifact, { ...payload, ...rotation })
          : insertToken(context, transaction, artifact),
      )
      if (rotation) await saveUseOfSession(context, payload.grantId)
    },
    // Revoking the grant deletes the token. A token that is deleted before would hide the grant from a retry.
    destroy: async () => {},
  }
}

/** RFC 9449, section 5. The library verifies the proof, but binds only the first token of a grant. */
async function bindToProof({ Provider }: Library, payload: AdapterPayload): Promise<AdapterPayload> {
  const { ctx } = Provider
  const proof = ctx?.get('dpop')
  if (!proof || payload.jkt !== undefined || ctx?.oidc.client?.tokenEndpointAuthMethod !== 'none') return payload
  const { jwk } = decodeProtectedHeader(proof)
  return { ...payload, jkt: await calculateJwkThumbprint(jwk ?? {}) }
}

async function withConsent(
  context: OpenIdContext,
  payload: AdapterPayload,
  insert: (transaction: Kysely<Tables>) => Promise<void>,
): Promise<void> {
  const { accountId: userId = '', clientId = '' } = payload
  const needed = await findNeededConsent(context, payload)
  await inTransaction(context, getRequestState().actor, async ({ transaction }) => {
    // Locks the client first, as its deletion does.
    await assertAllowed(transaction, { userId, clientId }, needed)
    await insert(transaction)
  }).catch((error) => {
    if (!(error instanceof ApiError)) throw error
    throw new context.library.errors.InvalidGrant(NOT_ALLOWED)
  })
}

async function insertToken(
  context: OpenIdContext,
  transaction: Kysely<Tables>,
  artifact: Insertable<OAuthArtifactRow>,
): Promise<void> {
  await lockGrant(context, transaction, artifact)
  await insertArtifact(transaction, artifact)
}

async function insertRotated(
  context: OpenIdContext,
  transaction: Kysely<Tables>,
  artifact: Insertable<OAuthArtifactRow>,
  { sid, grantId = '', accountId: userId = '', rotations, predecessorHash, retriedAt }: AdapterPayload & Rotation,
): Promise<void> {
  const { library, now } = context
  // Locks the session at the client before the grant, as a sign-out does: the other order could deadlock.
  if (sid !== undefined) await updateClientSessionUse(transaction, sid, now())
  await lockGrant(context, transaction, artifact)
  const predecessor = await lockArtifactForUpdate(transaction, predecessorHash)
  const successors = await listSuccessors(transaction, predecessorHash)
  if (predecessor?.polledAt !== retriedAt || !successors.every((successor) => isSameToken(successor, artifact)))
    throw new library.errors.InvalidGrant('the refresh token was used concurrently')
  await insertArtifact(transaction, { ...artifact, predecessorHash })
  if (Number(rotations) % ROTATIONS_PER_DELETION === 0) await deleteOldestReplaced(transaction, { grantId, userId })
}

/** A process of the earlier version, or with another SECRET, inserts another token. */
function isSameToken(
  { idHash, payload, consumedAt }: Pick<OAuthArtifactRow, 'idHash' | 'payload' | 'consumedAt'>,
  artifact: Insertable<OAuthArtifactRow>,
): boolean {
  return idHash === artifact.idHash && consumedAt === null && keyOf(payload) === keyOf(artifact.payload)
}

function keyOf(payload: string): string | undefined {
  return (JSON.parse(payload) as AdapterPayload).jkt
}

async function lockGrant(
  { library }: OpenIdContext,
  transaction: Kysely<Tables>,
  { grantId }: Insertable<OAuthArtifactRow>,
): Promise<void> {
  if (!(await lockGrantForShare(transaction, grantId ?? '')))
    throw new library.errors.InvalidGrant('the access was revoked concurrently')
}

async function findNeededConsent(context: OpenIdContext, { grantId = '', scope }: AdapterPayload): Promise<Allowed> {
  const subject = await findGrantSubject(context, grantId)
  return toAllowed(splitScopes(scope), subject?.grant.organizationId ?? null)
}

/** Reads the consent without a lock, because the transaction of a refresh checks it again. */
async function findRefusal(context: OpenIdContext, payload: AdapterPayload): Promise<string | undefined> {
  const { database, library } = context
  const { accountId: userId = '', clientId = '', grantId = '' } = payload
  if (ownMetadataOf(library.Provider.ctx?.oidc.client ?? {}).skipConsent) return undefined
  const subject = await findGrantSubject(context, grantId)
  if (subject && hasOfflineAccess(payload.scope) && !hasOfflineAccess(subject.grant.scopes)) return OFFLINE_NOT_ALLOWED
  const consent = await findConsent(database, { userId, clientId })
  return isAllowed(consent, await findNeededConsent(context, payload)) ? undefined : NOT_ALLOWED
}

/** A refresh keeps the scopes in the token, because the client may be allowed them again later. */
async function toIntrospected(context: OpenIdContext, payload: AdapterPayload): Promise<AdapterPayload | undefined> {
  if ((await findRefusal(context, payload)) !== undefined) return undefined
  const subject = await findGrantSubject(context, payload.grantId ?? '')
  return subject ? { ...payload, scope: scopesOfNow(payload.scope, subject.grant).join(' ') } : payload
}

/** Clients such as Authlib repeat scopes that the authorization request ignores. The library would refuse them here. */
function leaveOutIgnoredScopes({ Provider }: Library, granted: string[]): void {
  const { params } = Provider.ctx?.oidc ?? {}
  if (typeof params?.scope !== 'string') return
  const scopes = splitKnownScopes(params.scope).filter((scope) => scope !== 'offline_access' || granted.includes(scope))
  if (scopes.length > 0) params.scope = scopes.join(' ')
}

/** A refresh extends the session, as every request of the user does. */
async function saveUseOfSession(context: OpenIdContext, grantId: string | undefined): Promise<void> {
  const subject = grantId === undefined ? undefined : await findGrantSubject(context, grantId)
  if (subject) await saveUse(context, subject)
}
