import type { errors, KoaContextWithOIDC, default as Provider } from 'oidc-provider'
import { ownMetadataOf } from '../grants/client-metadata.ts'
import { getRequestState } from '../grants/request-state.ts'
import type { PlainPages } from './plain-pages.ts'

/**
 * Anyone can register an app, and its address may be one of phishing. A link to us must not lead there before the user
 * has signed in (RFC 9700, section 4.11.2), so our page names the address instead.
 */
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

/**
 * Without a session, the library answers a log-out with a form that submits itself. Its response is a redirect. An ID
 * token as the hint changes nothing, because it may be the attacker's own.
 */
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
