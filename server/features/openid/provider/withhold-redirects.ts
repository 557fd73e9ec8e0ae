import type { errors, KoaContextWithOIDC, default as Provider } from 'oidc-provider'
import { ownMetadataOf } from '../common/client-metadata.ts'
import { getRequestState } from '../common/request-state.ts'
import type { PlainPages } from './plain-pages.ts'

/** Before a sign-in, a link to us must not lead to a phishing app that registered itself (RFC 9700, section 4.11.2). */
export function withholdRedirects(provider: Provider, pages: PlainPages): void {
  provider.on('authorization.error', (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError) => {
    if (!isRedirectWithheld(ctx) || isSilentInFrame(ctx)) return
    error.allow_redirect = false
    ctx.status = 400
  })
  provider.use((ctx, next) => withholdAfterLogOut(ctx as KoaContextWithOIDC, next, pages))
}

function isRedirectWithheld({ oidc: { client } }: KoaContextWithOIDC): boolean {
  return client !== undefined && ownMetadataOf(client).isSelfRegistered && getRequestState().caller === null
}

/** The page around the frame is the app already. */
function isSilentInFrame(ctx: KoaContextWithOIDC): boolean {
  return ctx.oidc.params?.prompt === 'none' && ctx.get('sec-fetch-dest') === 'iframe'
}

/** The library's form submits itself, so it is a redirect, too. The ID token of a hint may be the attacker's own. */
async function withholdAfterLogOut(
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
  pages: PlainPages,
): Promise<void> {
  await next()
  if (ctx.oidc?.route !== 'end_session' || ctx.status !== 200) return
  const hasTarget = typeof ctx.oidc.params?.post_logout_redirect_uri === 'string'
  if (hasTarget && isRedirectWithheld(ctx)) pages.renderLoggedOut(ctx)
}
