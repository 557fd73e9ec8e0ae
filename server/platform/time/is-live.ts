/**
 * Whether a time that was stored as the end of a window is in the future. A later end than two windows from now was stored
 * by a clock that was ahead. One window would be too few, because the clocks of processes differ.
 */
export function isLive(expiresAt: number, windowMilliseconds: number, now: number): boolean {
  return expiresAt > now && expiresAt <= now + 2 * windowMilliseconds
}
