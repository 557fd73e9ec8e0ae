import { isIP } from 'node:net'
import { hostOf, isLoopback } from '../../platform/config/loopback.ts'
import { isPublicAddress } from '../../platform/http/public-address.ts'

/**
 * The address must not reach our own network. The addresses behind a name are checked at each request.
 * @param allowsLoopback while BASE_URL is on this machine, also http
 */
export function findServerUrlFault(text: string, allowsLoopback: boolean): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:\/\/[^/]/i.test(text) || /[\\#*]/.test(text))
    return 'must be a whole address that begins with https://, without fragment'
  if (/^https?:\/\/[^/?]*@/i.test(text)) return 'must not have a user name or password'
  const host = hostOf(url)
  if (isLoopback(host.replace(/\.$/, ''))) return allowsLoopback ? undefined : 'must not be on this machine'
  if (url.protocol !== 'https:') return 'must begin with https://'
  return isIP(host) !== 0 && !isPublicAddress(host) ? 'must not be in a private network' : undefined
}
