import type { HttpApp } from '../platform/http/http-app.ts'

/** Calls routes as a user, without a network. */
export interface ExampleClient {
  /** @throws Error when the route refuses */
  post<Answer = unknown>(email: string, path: string, body: object): Promise<Answer>
  /** Needed when the clock is moved, because the sessions are no longer fresh then. */
  forgetSessions(): void
}

export function createExampleClient(app: HttpApp, baseUrl: string, password: string): ExampleClient {
  const { origin, host } = new URL(baseUrl)
  const tokens = new Map<string, string>()

  async function send(path: string, payload: object, headers: Record<string, string> = {}) {
    const url = `/api/auth/${path}`
    const request = { method: 'POST', url, authority: host, payload, headers: { origin, ...headers } } as const
    const answer = await app.inject(request)
    if (answer.statusCode !== 200) throw new Error(`${url} returned ${answer.statusCode}: ${answer.body}`)
    return answer.json()
  }

  return {
    async post(email, path, body) {
      const token = tokens.get(email) ?? (await send('sign-in/email', { email, password })).token
      tokens.set(email, token)
      return send(path, body, { authorization: `Bearer ${token}` })
    },
    forgetSessions: () => tokens.clear(),
  }
}
