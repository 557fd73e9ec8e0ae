import assert from 'node:assert/strict'
import type { ServiceRole } from '../../server/platform/database/tables.ts'
import type { Answer } from './client.ts'
import type { Service } from './service.ts'
import { newEmail, newUser, PASSWORD, sessionOf, type TestUser } from './users.ts'

/** A user with a session and a verified email address: the rows that create-user and a sign-in leave. */
export async function userWithRole(service: Service, admin: TestUser, role: ServiceRole = 'user'): Promise<TestUser> {
  const email = newEmail()
  return sessionOf(service, { id: await newUser(service, { email, role }, admin.id), email })
}

/** Creates a user with the password of all test users. @returns the id */
export async function createTestUser(
  admin: TestUser,
  user: { email?: string; name?: string; role?: ServiceRole },
): Promise<string> {
  const { email = newEmail(), name = 'Paula Parker', role = 'user' } = user
  const body = { email, name, role, password: PASSWORD, data: { emailVerified: true } }
  const answer = await admin.client.post('/api/auth/admin/create-user', body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.user.id
}

/** Calls a staff route, which must succeed. */
export async function administer(admin: TestUser, path: string, body: Record<string, unknown>): Promise<Answer> {
  const answer = await admin.client.post(`/api/auth/admin/${path}`, body)
  assert.equal(answer.status, 200, `${path} ${JSON.stringify(answer.body)}`)
  return answer
}
