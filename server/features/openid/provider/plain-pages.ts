import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { CONTENT_SECURITY_POLICY } from '../../../platform/http/security-headers.ts'
import { type Html, html } from '../../../platform/mail/html.ts'
import type { PlainPage } from '../../pages/plain-page.ts'
import { ENDPOINTS } from '../common/endpoints.ts'
import { redirectTargetOf } from '../common/redirect-target.ts'
import { getRequestState } from '../common/request-state.ts'
import { describedRefusal } from './describe-errors.ts'

export interface PlainPages {
  renderError(ctx: KoaContextWithOIDC, error: ErrorOut): void
  /** For a sign-in that has expired, was finished, or began in another browser. */
  renderExpiredSignIn(ctx: KoaContextWithOIDC, error: ErrorOut): void
  renderLogout(ctx: KoaContextWithOIDC): void
  renderLoggedOut(ctx: KoaContextWithOIDC): void
}

/** The library adds the hash of its script to the directive. */
const POLICY_WITH_SCRIPT = `${CONTENT_SECURITY_POLICY}; script-src 'self'`

const EXPLANATIONS: Record<string, string> = {
  invalid_client: 'We don’t know the app (the client) that sent you here, or it was turned off.',
  invalid_redirect_uri:
    'The app (the client) wants you to return to an address, its redirect URI, that is not registered for it. We don’t send you there.',
  invalid_request_uri: 'The link of the app (the client) that sent you here has expired, was used before, or is wrong.',
}
const OTHER_EXPLANATION = 'The request of the app (the client) that sent you here can’t be answered.'

const STILL_SIGNED_IN = html`<p><strong>You are still signed in here.</strong> To sign out, go to <a href="/account">your account</a>.</p>`

const SIGNED_OUT = html`<p><strong>You are signed out here.</strong></p>`

/** Pages without script: they must work when the application of the pages does not. */
export function createPlainPages(plainPage: PlainPage): PlainPages {
  const render = (ctx: KoaContextWithOIDC, page: Parameters<PlainPage>[0]): void => {
    ctx.type = 'html'
    ctx.body = plainPage(page)
  }

  /** The form of our page was sent late or twice, which the developers of the app can't mend. */
  const renderExpiredSignOut = (ctx: KoaContextWithOIDC, { error }: ErrorOut): void =>
    render(ctx, {
      title: 'This sign-out has expired',
      dataError: error,
      content: html`<p>It took too long, or was finished already.</p>
${describeSession()}`,
    })

  return {
    renderError(ctx, out) {
      const address = addressOfRepeatedLogOut(ctx)
      if (address !== undefined) {
        ctx.status = 303
        return ctx.redirect(address)
      }
      if (ctx.oidc?.route === 'end_session_confirm') return renderExpiredSignOut(ctx, out)
      const refusal = describedRefusal(out.error, out.error_description)
      const { error, error_description: description } = refusal
      render(ctx, {
        title: 'The app’s request can’t go on',
        dataError: error,
        content: html`<p>${EXPLANATIONS[error] ?? OTHER_EXPLANATION}</p>
${isLogOut(ctx) ? describeSession() : ''}
<p>Go back to the app and try again. If that does not help, send this to the developers of the app:</p>
<p class="soft">${error}: ${description}</p>
${describeWayBack(ctx, { ...out, ...refusal })}`,
      })
    },
    renderExpiredSignIn(ctx, { error }) {
      render(ctx, {
        title: 'This sign-in has expired',
        dataError: error,
        content: html`<p>It took too long, was finished already, or began in another browser. Go back to the app that you came from, and sign in there again.</p>
<p><a href="/account">Go to your account</a>, or close this page.</p>`,
      })
    },
    renderLogout(ctx) {
      const { client, entities, session, params } = ctx.oidc
      const hinted = entities.IdTokenHint?.payload.sub
      const isOther = hinted !== undefined && hinted !== session?.accountId
      const name = client?.clientName ?? 'An app'
      const { post_logout_redirect_uri: target, state } = params ?? {}
      const { secret = '' } = (session?.state ?? {}) as { secret?: string }
      const content = isOther ? describeOther(name, target, state) : createForm(ctx, name, secret)
      render(ctx, { title: isOther ? 'You are signed in as another user' : 'Sign out?', content })
    },
    renderLoggedOut(ctx) {
      const { client, params } = ctx.oidc
      if (getRequestState().caller) {
        const title = client ? `You are signed out of ${client.clientName}` : 'You are signed in'
        const content = html`<p>You are still signed in here. <a href="/account">Go to your account</a>, or close this page.</p>`
        return render(ctx, { title, content })
      }
      const { post_logout_redirect_uri: target, state } = params ?? {}
      const content = html`<p>You can close this page, or <a href="/sign-in">sign in</a> again.</p>
${typeof target === 'string' ? linkToApp(target, withState(target, state)) : ''}`
      render(ctx, { title: 'You are signed out', content })
    },
  }
}

function describeSession(): Html {
  return getRequestState().caller ? STILL_SIGNED_IN : SIGNED_OUT
}

function describeWayBack({ oidc: { client, params } }: KoaContextWithOIDC, response: ErrorOut): Html | string {
  const { redirect_uri: target, response_mode: mode } = params ?? {}
  if (typeof target !== 'string' || !client?.redirectUriAllowed(target)) return ''
  const url = new URL(target)
  const parameters = mode === 'fragment' ? new URLSearchParams() : url.searchParams
  for (const [name, value] of Object.entries(response)) parameters.set(name, value)
  if (mode === 'fragment') url.hash = parameters.toString()
  return linkToApp(target, url.href)
}

/** The text names the site, because anyone may have registered its address. */
function linkToApp(target: string, address: string): Html {
  return html`<p>If you know the app, you can <a href="${address}">go on to ${redirectTargetOf(target)}</a>.</p>`
}

function isLogOut({ path }: KoaContextWithOIDC): boolean {
  return path.startsWith(ENDPOINTS.end_session)
}

function createForm({ oidc: { client, params } }: KoaContextWithOIDC, name: string, secret: string): Html {
  const { post_logout_redirect_uri: target, state } = params ?? {}
  const stay = client ? html`<button class="button button-quiet" type="submit">Stay signed in here</button>` : ''
  const fields = textsOf({ xsrf: secret, client_id: client?.clientId, post_logout_redirect_uri: target, state })
  return html`<p>${name} asks to sign you out. That ends your session here, and in every app that you opened with it.</p>
${typeof target === 'string' ? html`<p>Then you go on to ${redirectTargetOf(target)}.</p>` : ''}
<form class="actions" method="post" action="${ENDPOINTS.end_session}/confirm">
${fields.map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}" />`)}
<button class="button button-main" type="submit" name="logout" value="yes">Sign out</button>
${stay}
</form>`
}

/** A double click in WebKit sends the form twice. The second one begins the log-out again, which leads to the app. */
function addressOfRepeatedLogOut({ oidc }: KoaContextWithOIDC): string | undefined {
  if (oidc?.route !== 'end_session_confirm') return undefined
  const { client_id, post_logout_redirect_uri, state, logout }: Record<string, unknown> = oidc.body ?? {}
  if (logout !== 'yes' || client_id === undefined) return undefined
  return `${ENDPOINTS.end_session}?${new URLSearchParams(textsOf({ client_id, post_logout_redirect_uri, state }))}`
}

/** The parameters of a request that are present, and are not repeated. */
function textsOf(parameters: Record<string, unknown>): [name: string, value: string][] {
  return Object.entries(parameters).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
}

/** Another user's ID token must not sign out the user of this browser. */
function describeOther(name: string, target: unknown, state: unknown): Html {
  return html`<p>${name} asks to sign out a user who is not signed in here. You stay signed in.</p>
${typeof target === 'string' ? linkToApp(target, withState(target, state)) : ''}`
}

/** The client gets its `state` back, as after a log-out (RP-Initiated Logout 1.0, section 3). */
function withState(target: string, state: unknown): string {
  if (typeof state !== 'string') return target
  const url = new URL(target)
  url.searchParams.set('state', state)
  return url.href
}

/** Browsers check `form-action` at redirects after a form, too, and an app may redirect its users to any address. */
export async function allowFormTargets(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  ctx.set('content-security-policy', POLICY_WITH_SCRIPT)
  await next()
  if (ctx.type !== 'text/html' || typeof ctx.body !== 'string' || !ctx.body.includes('<form')) {
    ctx.remove('content-security-policy')
    return
  }
  // With no-referrer, browsers send a form with the origin "null", which the service refuses.
  ctx.set('referrer-policy', 'same-origin')
  if (!leadsToApp(ctx)) return
  const policy = ctx.response.get('content-security-policy')
  // The library joins directives without a space.
  ctx.set('content-security-policy', policy.replace(/; ?form-action 'self'/, ''))
}

function leadsToApp({ oidc: { params, session } }: KoaContextWithOIDC): boolean {
  const { postLogoutRedirectUri } = (session?.state ?? {}) as { postLogoutRedirectUri?: string }
  return params?.redirect_uri !== undefined || postLogoutRedirectUri !== undefined
}
