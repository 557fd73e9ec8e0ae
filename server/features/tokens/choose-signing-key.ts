/**
 * The newest key whose time has come. Where the time of none has come, because the clock was ahead when they were made
 * and is right now, it is the oldest one, which services have known for longest.
 * @param published oldest first
 */
export function chooseSigningKey<Key extends { activeAt: number }>(published: Key[], now: number): Key | undefined {
  return published.findLast(({ activeAt }) => activeAt <= now) ?? published[0]
}
