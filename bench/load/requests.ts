import { DEVICE_COOKIE } from '../../server/platform/http/cookies.ts'
import { CLIENT_ID, CLIENT_SECRET, deviceTokenOf, PASSWORD, type SeededSession } from '../population.ts'
import type { PlannedRequest } from './plan.ts'

/** One sign-in for each user, each from its own network address, in a browser that is known or new. */
export function signInRequests(port: number, sessions: SeededSession[], device: 'known' | 'new'): PlannedRequest[] {
  return sessions.map(({ email, userId }, client) => ({
    bytes: signIn(port, client, email, PASSWORD, device === 'known' ? deviceTokenOf(email) : undefined),
    expectedStatus: 200,
    expectedText: userId,
  }))
}

/** One wrong password for each email address, each from its own network address. */
export function wrongSignInRequests(port: number, emails: string[]): PlannedRequest[] {
  return emails.map((email, client) => ({
    bytes: signIn(port, client, email, `not ${PASSWORD}`),
    expectedStatus: 401,
    expectedText: 'INVALID_EMAIL_OR_PASSWORD',
  }))
}

export function getSessionRequests(
  port: number,
  sessions: Pick<SeededSession, 'token' | 'userId'>[],
): PlannedRequest[] {
  return sessions.map(({ token, userId }, client) => ({
    bytes: httpRequest({ path: '/api/auth/get-session', port, token, client }),
    expectedStatus: 200,
    expectedText: userId,
  }))
}

export function tokenRequests(
  port: number,
  sessions: SeededSession[],
  path: (session: SeededSession) => string,
): PlannedRequest[] {
  return sessions.map((session, client) => ({
    bytes: httpRequest({ path: path(session), port, token: session.token, client }),
    expectedStatus: 200,
    expectedText: '{"token":"ey',
  }))
}

/** Client credentials, from one machine. */
export function machineTokenRequests(port: number): PlannedRequest[] {
  const body = 'grant_type=client_credentials'
  const credentials = Buffer.from(`${CLIENT_ID}:${encodeURIComponent(CLIENT_SECRET)}`).toString('base64')
  const lines = [
    'POST /api/auth/oauth2/token HTTP/1.1',
    `host: localhost:${port}`,
    `x-forwarded-for: ${clientAddress(0)}`,
    `authorization: Basic ${credentials}`,
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${body.length}`,
  ]
  return [{ bytes: `${lines.join('\r\n')}\r\n\r\n${body}`, expectedStatus: 200, expectedText: '"access_token":"ey' }]
}

function signIn(port: number, client: number, email: string, password: string, deviceToken?: string): string {
  return httpRequest({ path: '/api/auth/sign-in/email', port, client, json: { email, password }, deviceToken })
}

interface RequestParts {
  path: string
  port: number
  /** The number of the client, for `clientAddress`. */
  client: number
  token?: string
  /** The body of a POST. */
  json?: Record<string, string>
  deviceToken?: string | undefined
}

function httpRequest({ path, port, client, token, json, deviceToken }: RequestParts): string {
  const body = json === undefined ? '' : JSON.stringify(json)
  const lines = [
    `${json === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    `host: localhost:${port}`,
    `x-forwarded-for: ${clientAddress(client)}`,
  ]
  if (token !== undefined) lines.push(`authorization: Bearer ${token}`)
  if (deviceToken !== undefined) lines.push(`cookie: ${DEVICE_COOKIE}=${deviceToken}`, 'sec-fetch-site: same-origin')
  if (json !== undefined) lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** The n-th address of 10.0.0.0/8, so that every client has another address behind the trusted proxy. */
function clientAddress(client: number): string {
  return `10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`
}
