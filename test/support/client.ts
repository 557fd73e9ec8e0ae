import { randomInt } from 'node:crypto'

export interface Answer {
  status: number
  headers: Headers
  /** Parsed if it is JSON, else the text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what the contract says is there.
  body: any
}

export interface RequestOptions {
  headers?: Record<string, string>
  /** Sent as it is, instead of JSON. */
  rawBody?: string
}

export interface Client {
  /** The cookies as the browser would send them now; tests may change them. */
  cookies: Map<string, string>
  /** Its network address, which no other client has. */
  address: string
  get(path: string, options?: RequestOptions): Promise<Answer>
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
}

/** What a browser on a page of the service does: it keeps cookies, names its origin and follows no redirect by itself. */
export function createClient(baseUrl: string): Client {
  const cookies = new Map<string, string>()
  // Every client has a network of its own, or they would share the limits that count by address.
  const address = [10, randomInt(256), randomInt(256), randomInt(1, 255)].join('.')

  async function send(
    method: string,
    path: string,
    body: string | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(path, baseUrl), {
      method,
      redirect: 'manual',
      headers: { origin: baseUrl, 'x-forwarded-for': address, ...(cookie && { cookie }), ...headers },
      ...(body !== undefined && { body }),
    })
    for (const line of response.headers.getSetCookie()) keepCookie(cookies, line)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  return {
    cookies,
    address,
    get: (path, { headers = {} } = {}) => send('GET', path, undefined, headers),
    post: (path, body = {}, { headers = {}, rawBody } = {}) =>
      send('POST', path, rawBody ?? JSON.stringify(body), { 'content-type': 'application/json', ...headers }),
  }
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';')
  const separator = pair.indexOf('=')
  const name = pair.slice(0, separator)
  const value = pair.slice(separator + 1)
  if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
  else cookies.set(name, value)
}
