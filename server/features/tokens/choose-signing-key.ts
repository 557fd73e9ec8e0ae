/**
 * Returns the newest active key. If the clock was set back, it is possible that no key is active. Then the oldest key
 * signs, because services have already fetched it.
 * @param published oldest first
 */
export function chooseSigningKey<Key extends { activeAt: number }>(published: Key[], now: number): Key | undefined {
  return published.findLast(({ activeAt }) => activeAt <= now) ?? published[0]
}
