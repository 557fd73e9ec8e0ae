import type { errors, KoaContextWithOIDC } from 'oidc-provider'

/** For errors that the library does not describe. */
const DESCRIPTIONS: Record<string, string> = {
  access_denied: 'the user or the service did not allow this',
  invalid_client: 'the client is unknown, or its authentication failed',
  invalid_grant: 'the code or token is not valid, has expired, or was revoked',
  unauthorized_client: 'the client may not do this',
}

/** The library hides the reason of a refused grant, which a developer needs and an attacker knows. */
export function describeError({ body }: KoaContextWithOIDC, { error, error_detail }: errors.OIDCProviderError): void {
  const answer = body as { error_description?: string } | undefined
  const description = error_detail ?? answer?.error_description ?? DESCRIPTIONS[error]
  if (answer && description !== undefined) answer.error_description = description
}

export async function describeRedirectedError(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  const url = URL.parse(ctx.response.get('location'))
  const error = url?.searchParams.get('error')
  if (!url || !error || url.searchParams.has('error_description')) return
  url.searchParams.set('error_description', DESCRIPTIONS[error] ?? 'the request was refused')
  ctx.set('location', url.href)
}
