import type { Insertable } from 'kysely'
import type { AdapterPayload } from 'oidc-provider'
import type { ArtifactKind, OAuthArtifactRow, Tables } from '../../../platform/database/tables.ts'
import { libraryTime, type OpenIdContext } from '../common/openid-context.ts'
import { ACCESS_TOKEN_SECONDS, DEVICE_CODE_SECONDS, INTERACTION_SECONDS } from '../common/scopes.ts'
import { hashOfArtifact } from './store.ts'

/**
 * Rows stay for this time after their expiry. So a replayed code is noticed, an expired device code is reported,
 * and several sign-in pages of one pushed request give one code.
 */
const RETENTION_SECONDS: Partial<Record<ArtifactKind, number>> = {
  AuthorizationCode: ACCESS_TOKEN_SECONDS,
  DeviceCode: DEVICE_CODE_SECONDS,
  PushedAuthorizationRequest: INTERACTION_SECONDS,
}

/** The payload has neither its own value nor the user code. */
export function toArtifact(
  { now }: OpenIdContext,
  kind: ArtifactKind,
  value: string,
  { jti: _, userCode, ...payload }: AdapterPayload,
  lifetimeSeconds: number,
): Insertable<Tables['oauthArtifacts']> & { idHash: string } {
  return {
    idHash: hashOfArtifact(kind, value),
    kind,
    // The grant of an interaction is not stored.
    grantId: kind === 'Interaction' ? null : (payload.grantId ?? null),
    clientId: payload.clientId ?? null,
    predecessorHash: null,
    userCodeHash: userCode === undefined ? null : hashOfArtifact('user code', userCode),
    payload: JSON.stringify(payload),
    createdAt: now(),
    // The expiry of an assertion may have a fraction.
    expiresAt: now() + Math.ceil((lifetimeSeconds + (RETENTION_SECONDS[kind] ?? 0)) * 1000),
    consumedAt: null,
    polledAt: null,
    answeredAt: null,
  }
}

export function fromArtifact(context: OpenIdContext, row: OAuthArtifactRow, value: string): AdapterPayload {
  const exp = libraryTime(context, expiryOfArtifact(row))
  return { ...(JSON.parse(row.payload) as AdapterPayload), exp, jti: value }
}

/** Epoch milliseconds. */
export function expiryOfArtifact({
  kind,
  createdAt,
  expiresAt,
}: Pick<OAuthArtifactRow, 'kind' | 'createdAt' | 'expiresAt'>): number {
  const retention = (RETENTION_SECONDS[kind] ?? 0) * 1000
  // The previous version stores pushed requests without this time.
  return expiresAt - createdAt > retention ? expiresAt - retention : expiresAt
}
