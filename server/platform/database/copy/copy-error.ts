/** The message contains the solution. */
export class CopyError extends Error {
  override name = 'CopyError'
}
