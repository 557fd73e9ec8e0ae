import { isIPv4 } from 'node:net'

/** Whether a host name or address is this machine alone (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3). */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || (isIPv4(host) && /^127\./.test(host))
}
