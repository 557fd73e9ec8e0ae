/** If the clock was set back, no key of `published` (oldest first) may be active. Services know the oldest. */
export function chooseSigningKey<Key extends { activeAt: number }>(published: Key[], now: number): Key | undefined {
  return published.findLast(({ activeAt }) => activeAt <= now) ?? published[0]
}
