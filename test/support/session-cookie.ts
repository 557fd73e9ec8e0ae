import assert from 'node:assert/strict'
import type { Answer } from './client.ts'

/** The answer starts a session, or replaces its token, and the browser deletes the cookie when it closes. */
export function assertBrowserSession({ status, headers, body }: Answer): void {
  assert.equal(status, 200, JSON.stringify(body))
  const cookie = headers.getSetCookie().find((line) => line.startsWith('session='))
  assert.match(cookie ?? '', /^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
}
