/** A move, a backup or a restore that can't begin or continue. The message contains the solution. */
export class CopyError extends Error {
  override name = 'CopyError'
}
