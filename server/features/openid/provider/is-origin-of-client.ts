import type { Client } from 'oidc-provider'
import { isNativeRedirectUri } from '../../../core/oauth-clients/redirect-uris.ts'

/** A native app may use any port of loopback (RFC 8252, section 7.3), so its page is on that port, too. */
export function isOriginOfClient({ redirectUris = [] }: Pick<Client, 'redirectUris'>, origin: string): boolean {
  return redirectUris.some((uri) => {
    const own = originOf(uri)
    if (own === undefined || own === origin) return own === origin
    return isNativeRedirectUri(uri) && withoutPort(own) === withoutPort(origin)
  })
}

/** Apps on a device have no origin. `null` is the origin of every sandboxed page. */
function originOf(uri: string): string | undefined {
  const origin = URL.parse(uri)?.origin
  return origin === 'null' ? undefined : origin
}

function withoutPort(origin: string): string {
  return origin.replace(/:\d+$/, '')
}
