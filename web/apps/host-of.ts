const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** A native app has its own scheme, without a host, or listens on loopback (RFC 8252, section 7). */
export function hostOf(origin: string): string {
  // Safari 17 has no URL.parse.
  const { host, hostname } = URL.canParse(origin) ? new URL(origin) : { host: '', hostname: '' }
  return host === '' || LOOPBACK.includes(hostname) ? 'an app on this device' : host
}
