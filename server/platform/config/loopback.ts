import { isIPv4 } from 'node:net'

/** Whether only this machine can reach a host name or address (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3). */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || (isIPv4(host) && /^127\./.test(host))
}

/** The host name, or an address without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** Whether BASE_URL is on this machine: then http is allowed, and the dev mailbox. */
export function isLocal(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '127.0.0.1' || hostname === '[::1]'
}
