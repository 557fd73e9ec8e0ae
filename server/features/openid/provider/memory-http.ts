import type { IncomingMessage, ServerResponse } from 'node:http'

export interface MemoryRequest {
  method: string
  url: string
  headers: Record<string, string | undefined>
  body: string | undefined
}

export interface ProviderResponse {
  statusCode: number
  headers: Iterable<[name: string, value: number | string | readonly string[]]>
  body: string | Uint8Array | undefined
}

/** Real streams and messages would take a fifth of the main thread's time for a token. */
export async function dispatchInMemory(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  request: MemoryRequest,
): Promise<ProviderResponse> {
  const { promise, resolve } = Promise.withResolvers<ProviderResponse>()
  await handle(
    createRequest(request) as unknown as IncomingMessage,
    new MemoryResponse(resolve) as unknown as ServerResponse,
  )
  return promise
}

function createRequest({ method, url, headers, body = '' }: MemoryRequest) {
  const content = Buffer.from(body)
  return {
    method,
    url,
    headers: content.length === 0 ? headers : { ...headers, 'content-length': String(content.length) },
    httpVersion: '1.1',
    httpVersionMajor: 1,
    socket: {},
    readable: true,
    async *iterator() {
      yield content
    },
  }
}

/** The part of a ServerResponse that Koa and its libraries use. */
class MemoryResponse {
  statusCode = 200
  statusMessage = ''
  readonly headersSent = false
  readonly finished = false
  readonly #headers = new Map<string, number | string | readonly string[]>()
  readonly #resolve: (response: ProviderResponse) => void

  constructor(resolve: (response: ProviderResponse) => void) {
    this.#resolve = resolve
  }
  setHeader(name: string, value: number | string | readonly string[]): this {
    this.#headers.set(name.toLowerCase(), value)
    return this
  }
  getHeader(name: string): number | string | readonly string[] | undefined {
    return this.#headers.get(name.toLowerCase())
  }
  getHeaders(): object {
    return Object.fromEntries(this.#headers)
  }
  getHeaderNames(): string[] {
    return [...this.#headers.keys()]
  }
  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase())
  }
  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase())
  }
  /** Koa listens for errors and early closes, which a response in memory does not have. */
  on(): this {
    return this
  }
  removeListener(): this {
    return this
  }
  end(body?: string | Uint8Array): void {
    this.#resolve({ statusCode: this.statusCode, headers: this.#headers, body })
  }
}
