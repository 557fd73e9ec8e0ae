import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding } from './content-negotiation.ts'

const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

const COMPRESS: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  // The default quality is 10 % smaller, but takes a second for half a MiB.
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: promisify(gzip),
}

/** All requests share the bytes, so that a flood, or clients that do not read, cost no memory. */
export class FixedResponse {
  private headers: Record<string, string>
  private content: Buffer
  private etag: string
  private compressed: Map<Encoding, Buffer | Promise<Buffer>>

  constructor(
    content: string | Buffer,
    headers: { 'content-type': string; 'cache-control': string },
    compressed: [Encoding, Buffer][] = [],
  ) {
    this.content = Buffer.from(content)
    this.compressed = new Map(compressed)
    // Weak, because all encodings share it (RFC 9110, section 8.8.1).
    this.etag = `W/"${createHash('sha256').update(this.content).digest('base64url').slice(0, 22)}"`
    this.headers = { ...headers, etag: this.etag, vary: 'Origin, Accept-Encoding' }
  }

  async send({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (headers['if-none-match']?.includes(this.etag)) return reply.headers(this.headers).code(304).send()
    const encoding = chooseEncoding(String(headers['accept-encoding'] ?? ''), ENCODINGS)
    // Before any header is set, because the error of a failed compression would have it too.
    const content = encoding === undefined ? this.content : await this.compress(encoding)
    if (encoding !== undefined) reply.header('content-encoding', encoding)
    return reply.headers(this.headers).send(content)
  }

  private compress(encoding: Encoding): Buffer | Promise<Buffer> {
    const known = this.compressed.get(encoding)
    if (known !== undefined) return known
    const compressed = COMPRESS[encoding](this.content)
    this.compressed.set(encoding, compressed)
    // The next request tries again, because memory may be free then.
    compressed.catch(() => this.compressed.delete(encoding))
    return compressed
  }
}
