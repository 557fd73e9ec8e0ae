/**
 * If the clock was set back, possibly no key is active. The oldest signs then, because services already know it.
 * @param published oldest first
 */
export function chooseSigningKey<Key extends { activeAt: number }>(published: Key[], now: number): Key | undefined {
  return published.findLast(({ activeAt }) => activeAt <= now) ?? published[0]
}
