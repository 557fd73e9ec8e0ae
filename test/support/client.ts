import { randomInt } from 'node:crypto'

export interface Answer {
  status: number
  headers: Headers
  /** Parsed JSON, or text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of any response.
  body: any
}

export interface RequestOptions {
  headers?: Record<string, string>
  /** Text that is sent unchanged, instead of JSON. */
  rawBody?: string
}

export interface Client {
  /** The cookies of the next request, which tests may change. */
  cookies: Map<string, string>
  /** A unique network address. */
  address: string
  get(path: string, options?: RequestOptions): Promise<Answer>
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
}

/**
 * Simulates a browser on a page of the service: stores cookies, sends its origin, and does not follow redirects.
 * @param respond answers in this process, without a server
 */
export function createClient(baseUrl: string, respond: (request: Request) => Promise<Response> = fetch): Client {
  const cookies = new Map<string, string>()
  const address = newAddress()

  async function send(
    method: string,
    path: string,
    body: string | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const request = new Request(new URL(path, baseUrl), {
      method,
      redirect: 'manual',
      headers: { origin: baseUrl, 'x-forwarded-for': address, ...(cookie && { cookie }), ...headers },
      ...(body !== undefined && { body }),
    })
    const response = await respond(request)
    for (const line of response.headers.getSetCookie()) storeCookie(cookies, line)
    return toAnswer(response)
  }

  return {
    cookies,
    address,
    get: (path, { headers = {} } = {}) => send('GET', path, undefined, headers),
    post: (path, body = {}, { headers = {}, rawBody } = {}) =>
      send('POST', path, rawBody ?? JSON.stringify(body), { 'content-type': 'application/json', ...headers }),
  }
}

function storeCookie(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';')
  const separator = pair.indexOf('=')
  const name = pair.slice(0, separator)
  const value = pair.slice(separator + 1)
  if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
  else cookies.set(name, value)
}

export async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

/** Every client has a network address of its own, because limits count by network. */
export function newAddress(): string {
  return [10, randomInt(256), randomInt(256), randomInt(1, 255)].join('.')
}
