/**
 * Names for requests, for the log and for whoever reports an error: random for each process, then counted. They open
 * nothing, so nothing is lost if they can be guessed, and drawing 12 random bytes each time costs more than the log line.
 */
export function createRequestIds(randomBytes: (byteCount: number) => Buffer): () => string {
  const prefix = randomBytes(9).toString('base64url')
  let count = 0
  return () => {
    count += 1
    return `${prefix}.${count.toString(36)}`
  }
}
