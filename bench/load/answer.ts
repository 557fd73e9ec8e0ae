export interface Answer {
  status: number
  body: Buffer
}

const END_OF_HEAD = '\r\n\r\n'
const END_OF_CHUNKS = Buffer.from('0\r\n\r\n')

/**
 * Parses one HTTP/1.1 response, or returns undefined while it is incomplete. Parses only Content-Length and chunked
 * bodies, because the parser takes CPU time from the measured server.
 * @throws Error when the response has neither
 */
export function readAnswer(bytes: Buffer): Answer | undefined {
  const endOfHead = bytes.indexOf(END_OF_HEAD)
  if (endOfHead < 0) return undefined
  const head = bytes.toString('latin1', 0, endOfHead)
  const status = Number(head.slice(9, 12))
  const body = bytes.subarray(endOfHead + END_OF_HEAD.length)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return body.length < Number(length) ? undefined : { status, body }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head))
    throw new Error('The response has no Content-Length and is not chunked')
  return body.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS) ? { status, body } : undefined
}
