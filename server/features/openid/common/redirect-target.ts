/** The origin of a redirect URI, or the scheme of an app on a device. */
export function redirectTargetOf(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri)
  return origin === 'null' ? protocol : origin
}
