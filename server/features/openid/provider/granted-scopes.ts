import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import { isWebsiteOnLoopback } from '../../../core/oauth-clients/redirect-uris.ts'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { findConsent, isAllowed, toAllowed } from '../../../core/oauth-consents/store.ts'
import { newId } from '../../../platform/crypto/tokens.ts'
import { ownMetadataOf } from '../common/client-metadata.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import { outcomeOf } from './outcome.ts'

export async function isConsentMissing(context: OpenIdContext, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { client, params, prompts } = ctx.oidc
  const { caller, membership } = getRequestState()
  if (!client || !caller || ownMetadataOf(client).skipConsent) return false
  const requested = toAllowed(requestedScopes(ctx), membership?.organization.id ?? null)
  const { consent } = outcomeOf(ctx)
  // An answer without the scope `organization` counts for every organization.
  const isAboutOther = consent?.scopes.includes('organization') && consent.organizationId !== requested.organizationId
  if (consent?.userId === caller.user.id && !isAboutOther) return false
  // Each sign-in asks, because another program on the device can pose as this client (RFC 8252, section 8.6).
  const isOnDevice = client.applicationType === 'native' || isWebsiteOnLoopback(String(params?.redirect_uri))
  if (prompts.has('consent') || isOnDevice) return true
  const stored = await findConsent(context.database, { userId: caller.user.id, clientId: client.clientId })
  return !isAllowed(stored, requested)
}

/** The grant is stored with the code. */
export async function createGrant(context: OpenIdContext, ctx: KoaContextWithOIDC): Promise<Grant> {
  const { client, provider, resourceServers } = ctx.oidc
  const { caller } = getRequestState()
  if (!client || !caller) throw new Error('A grant needs a client and a user')
  const allowed = await readAllowedScopes(context, ctx)
  const scopes = requestedScopes(ctx).filter((scope) => allowed.has(scope))
  const grant = new provider.Grant({ accountId: caller.user.id, clientId: client.clientId })
  grant.jti = newId('gra', context)
  if (scopes.length === 0) return grant
  grant.addOIDCScope(scopes.join(' '))
  for (const resource of Object.keys(resourceServers ?? {})) grant.addResourceScope(resource, scopes.join(' '))
  return grant
}

async function readAllowedScopes(context: OpenIdContext, ctx: KoaContextWithOIDC): Promise<Set<string>> {
  const { client } = ctx.oidc
  const { caller } = getRequestState()
  if (!client || !caller) return new Set()
  if (ownMetadataOf(client).skipConsent) return new Set(requestedScopes(ctx))
  const { consent } = outcomeOf(ctx)
  if (consent?.userId === caller.user.id) return new Set(consent.scopes)
  const stored = await findConsent(context.database, { userId: caller.user.id, clientId: client.clientId })
  return new Set(splitScopes(stored?.scopes))
}

function requestedScopes({ oidc }: KoaContextWithOIDC): string[] {
  return [...oidc.requestParamOIDCScopes]
}
