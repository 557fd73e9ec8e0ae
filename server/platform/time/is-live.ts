/** A later end was stored by a clock that was ahead. The second window allows for clocks that differ. */
export function latestEnd(windowMilliseconds: number, now: number): number {
  return now + 2 * windowMilliseconds
}

export function isLive(expiresAt: number, windowMilliseconds: number, now: number): boolean {
  return expiresAt > now && expiresAt <= latestEnd(windowMilliseconds, now)
}
