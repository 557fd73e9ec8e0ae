import type { errors, KoaContextWithOIDC, default as Provider } from 'oidc-provider'
import { toErrorDescription } from '../../../platform/http/error-description.ts'

const DESCRIPTIONS: Record<string, string> = {
  access_denied: 'the user or the service did not allow this',
  invalid_client: 'the client is unknown, or its authentication failed',
  invalid_grant: 'the code or token is not valid, has expired, or was revoked',
  registration_not_supported: "register the client first: a request can't bring its metadata",
  request_not_supported: 'send the parameters themselves: request objects are not supported',
  request_uri_not_supported: 'only the request_uri of a pushed authorization request (RFC 9126) is supported',
  unauthorized_client: 'the client may not do this',
}
const OTHER_DESCRIPTION = 'the request was refused'

/** The library's texts for errors that RFC 6749, section 5.2 calls `unauthorized_client`. */
const UNAUTHORIZED_CLIENT = /is not allowed for this client$/

/** The library's texts for a request that authenticates no client, whatever its secret is. */
const UNAUTHENTICATED =
  /authorization header|^invalid client_assertion format$|^no client authentication mechanism provided$/i

/** The library's texts for a missing DPoP proof. That of a code with `dpop_jkt` is not here: the code is used up. */
const WITHOUT_PROOF = /^DPoP proof JWT not provided$|^failed jkt verification$/

/** Events of the endpoints that answer with JSON. */
export const ERROR_EVENTS = [
  'device_authorization.error',
  'grant.error',
  'introspection.error',
  'pushed_authorization_request.error',
  'revocation.error',
  'userinfo.error',
]

export function describeErrors(provider: Provider): void {
  for (const event of ERROR_EVENTS) provider.on(event as 'grant.error', describeError)
  provider.use((ctx, next) => describeErrorOfAuthorization(ctx as KoaContextWithOIDC, next))
}

/** Adds the reason of a refused grant, which the library hides. Developers need it, and attackers know it anyway. */
function describeError(ctx: KoaContextWithOIDC, failure: errors.OIDCProviderError): void {
  const { error, error_detail } = failure
  const cause = failure.cause as { error_description?: string } | undefined
  const body = ctx.body as { error: string; error_description?: string } | undefined
  if (!body) return
  if (ctx.oidc.route !== 'userinfo' && UNAUTHENTICATED.test(body.error_description ?? '')) {
    // RFC 6749, section 5.2 and RFC 7521, section 4.2.1.
    body.error = 'invalid_client'
    ctx.status = 401
    // A page that sends no header must not open the browser's dialog.
    if (ctx.headers.authorization !== undefined)
      ctx.set('www-authenticate', `Basic realm="${ctx.oidc.issuer}", error="invalid_client"`)
  }
  if (UNAUTHORIZED_CLIENT.test(body.error_description ?? '')) body.error = 'unauthorized_client'
  if (isWithoutProof(ctx, failure)) {
    // Libraries sign the user out at `invalid_grant`, but the code or refresh token is still good.
    body.error = 'invalid_dpop_proof'
    body.error_description = 'a DPoP proof is required: send the request again with one'
    return
  }
  const isDescribed = error_detail === undefined && body.error_description !== undefined
  // The detail of an error with a cause can be the code of the cause.
  const detail = isDescribed ? body.error_description : (cause?.error_description ?? error_detail)
  body.error_description = toErrorDescription(detail ?? DESCRIPTIONS[error] ?? OTHER_DESCRIPTION)
}

function isWithoutProof(ctx: KoaContextWithOIDC, { error, error_detail }: errors.OIDCProviderError): boolean {
  // A proof of another key has the second text, too.
  return error === 'invalid_grant' && ctx.get('dpop') === '' && WITHOUT_PROOF.test(error_detail ?? '')
}

/** For errors in a redirect (query or fragment), or in the form of `response_mode=form_post`. */
async function describeErrorOfAuthorization(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  if (typeof ctx.body === 'string') ctx.body = describeErrorInForm(ctx.body)
  const url = URL.parse(ctx.response.get('location'))
  if (!url) return
  const fragment = new URLSearchParams(url.hash.slice(1))
  const parameters = fragment.has('error') ? fragment : url.searchParams
  const error = parameters.get('error')
  if (!error) return
  const described = describedRefusal(error, parameters.get('error_description') ?? undefined)
  for (const [name, value] of Object.entries(described)) parameters.set(name, value)
  if (parameters === fragment) url.hash = fragment.toString()
  ctx.set('location', url.href)
}

export function describedRefusal(error: string, description = DESCRIPTIONS[error] ?? OTHER_DESCRIPTION) {
  const code = UNAUTHORIZED_CLIENT.test(description) ? 'unauthorized_client' : error
  return { error: code, error_description: description }
}

function describeErrorInForm(page: string): string {
  const [input, error = ''] = /<input type="hidden" name="error" value="(\w+)"\/>/.exec(page) ?? []
  if (input === undefined) return page
  if (/name="error_description" value="[^"]* is not allowed for this client"/.test(page))
    return page.replace(input, input.replace(error, 'unauthorized_client'))
  if (page.includes('name="error_description"')) return page
  const description = DESCRIPTIONS[error] ?? OTHER_DESCRIPTION
  return page.replace(input, `${input}\n<input type="hidden" name="error_description" value="${description}"/>`)
}
