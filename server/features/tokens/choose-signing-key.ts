/**
 * The newest active key. After a clock was set back no key may be active; then it is the oldest one, which services have
 * already fetched.
 * @param published oldest first
 */
export function chooseSigningKey<Key extends { activeAt: number }>(published: Key[], now: number): Key | undefined {
  return published.findLast(({ activeAt }) => activeAt <= now) ?? published[0]
}
