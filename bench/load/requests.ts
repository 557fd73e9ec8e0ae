import { type Holder, PASSWORD } from '../population.ts'
import type { PlannedRequest } from './plan.ts'

/** Signed in once each, by an address of their own. */
export function signInRequests(port: number, holders: Holder[]): PlannedRequest[] {
  return holders.map(({ email, userId }, client) => ({
    bytes: signIn(port, client, email, PASSWORD),
    expectedStatus: 200,
    expectedText: userId,
  }))
}

/** People, known and unknown, who guess; each of them from a place of its own. */
export function wrongSignInRequests(port: number, emails: string[]): PlannedRequest[] {
  return emails.map((email, client) => ({
    bytes: signIn(port, client, email, `not ${PASSWORD}`),
    expectedStatus: 401,
    expectedText: 'INVALID_EMAIL_OR_PASSWORD',
  }))
}

export function getSessionRequests(port: number, holders: Pick<Holder, 'token' | 'userId'>[]): PlannedRequest[] {
  return holders.map(({ token, userId }, client) => ({
    bytes: httpRequest({ path: '/api/auth/get-session', port, token, client }),
    expectedStatus: 200,
    expectedText: userId,
  }))
}

export function tokenRequests(port: number, holders: Holder[], path: (holder: Holder) => string): PlannedRequest[] {
  return holders.map((holder, client) => ({
    bytes: httpRequest({ path: path(holder), port, token: holder.token, client }),
    expectedStatus: 200,
    expectedText: '{"token":"ey',
  }))
}

function signIn(port: number, client: number, email: string, password: string): string {
  return httpRequest({ path: '/api/auth/sign-in/email', port, client, json: { email, password } })
}

interface RequestParts {
  path: string
  port: number
  /** Which client it is; see `clientAddress`. */
  client: number
  token?: string
  /** The body of a POST. */
  json?: Record<string, string>
}

function httpRequest({ path, port, client, token, json }: RequestParts): string {
  const body = json === undefined ? '' : JSON.stringify(json)
  const lines = [
    `${json === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    `host: localhost:${port}`,
    `x-forwarded-for: ${clientAddress(client)}`,
  ]
  if (token !== undefined) lines.push(`authorization: Bearer ${token}`)
  if (json !== undefined) lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** The n-th of 10.0.0.0/8: as if every client were another machine behind the one trusted proxy. */
function clientAddress(client: number): string {
  return `10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`
}
