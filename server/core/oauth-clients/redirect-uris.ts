import { hostOf, isLoopback } from '../../platform/config/loopback.ts'
import type { ApplicationType } from './metadata.ts'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
/** `.` or `..` as a part of the path, also encoded: servers and browsers resolve it differently (CVE-2024-1132). */
const DOT_SEGMENT = /(?:[/:]|%2f|%5c)(?:\.|%2e){1,2}(?:\/|%2f|%5c|$)/i
const ENCODED_CONTROL = /%(?:[01][0-9a-f]|7f)/i
/** Other characters, such as the semicolon, have a meaning in a security policy that names the host. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/
/** The parser decodes a host, and the text that is compared names another. */
const ENCODED_HOST = /^[a-z]+:\/\/[^/?]*%/i
const USER_INFO = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i
/** A domain in reverse, such as com.example.app, so that apps don't share a scheme (RFC 8252, section 7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/

/** Redirect URIs are compared as text (RFC 9700, section 4.1.3), so each must have a single interpretation. */
export function findRedirectUriFault(uri: string, applicationType: ApplicationType): string | undefined {
  if (/[^\x21-\x7e]|\\/.test(uri)) return 'must be in ASCII characters, without spaces and backslashes'
  if (uri.includes('#')) return 'must not have a fragment (#)'
  if (uri.includes('*')) return 'must not have a wildcard (*)'
  const url = URL.parse(uri)
  if (!url) return 'must be a whole address, such as https://app.example.com/callback'
  if (USER_INFO.test(uri)) return 'must not have a user name or password'
  if (DOT_SEGMENT.test(uri.split('?')[0] ?? '')) return 'must not have . or .. in its path'
  if (ENCODED_CONTROL.test(uri)) return 'must not have encoded control characters'
  return findSchemeFault(uri, url, applicationType)
}

function findSchemeFault(uri: string, { protocol, hostname }: URL, applicationType: ApplicationType) {
  const isNative = applicationType === 'native'
  const isOnLoopback = LOOPBACK.has(hostname)
  if (protocol === 'https:' || protocol === 'http:') {
    // The parser reads https:example.com as https://example.com.
    if (!/^https?:\/\/[^/]/i.test(uri)) return 'must have :// after http or https'
    if (!HOST.test(hostname) || ENCODED_HOST.test(uri))
      return 'must have a host of letters, digits, dots, hyphens and underscores, or an IP address'
    if (protocol === 'https:') return isNative && isOnLoopback ? 'must use http on this machine' : undefined
    if (!isOnLoopback) return 'must begin with https://'
    return isNative ? undefined : 'must begin with https://, except on this machine in an app of type native'
  }
  if (!isNative) return 'must begin with https://'
  return PRIVATE_SCHEME.test(protocol)
    ? undefined
    : 'must begin with https:// or a scheme that is a domain in reverse, such as com.example.app:/'
}

/** Only an app on the machine of its user can have such a redirect URI (RFC 8252, section 7). */
export function isNativeRedirectUri(uri: string): boolean {
  const url = URL.parse(uri)
  if (!url) return false
  return url.protocol === 'http:' ? LOOPBACK.has(url.hostname) : url.protocol !== 'https:'
}

/** Whether a website of a client is on the machine of its user. An address with http makes its client native. */
export function isWebsiteOnLoopback(uri: string): boolean {
  const url = URL.parse(uri)
  return url?.protocol === 'https:' && isLoopback(hostOf(url).replace(/\.$/, ''))
}
