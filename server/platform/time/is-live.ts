/**
 * The latest end of a window that can have been stored by now. A later end was stored by a clock that was ahead. The
 * second window allows for processes whose clocks differ.
 */
export function latestEnd(windowMilliseconds: number, now: number): number {
  return now + 2 * windowMilliseconds
}

/** Whether a time that was stored as the end of a window is in the future. */
export function isLive(expiresAt: number, windowMilliseconds: number, now: number): boolean {
  return expiresAt > now && expiresAt <= latestEnd(windowMilliseconds, now)
}
