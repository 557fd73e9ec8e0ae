/** The source can't be imported. The message ends without a full stop. */
export class SourceError extends Error {
  override name = 'SourceError'
}
