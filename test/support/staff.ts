import assert from 'node:assert/strict'
import type { Service } from './service.ts'
import { newEmail, PASSWORD, signedIn, type TestUser } from './users.ts'

export type Role = 'user' | 'support' | 'admin'

/** Somebody whom an administrator made, with a proven address, signed in. */
export async function userWithRole(service: Service, admin: TestUser, role: Role = 'user'): Promise<TestUser> {
  const email = newEmail()
  await madeUser(admin, { email, role })
  return signedIn(service, email)
}

/** Makes an account with the password that everybody here has. @returns its id */
export async function madeUser(admin: TestUser, user: { email?: string; name?: string; role?: Role }): Promise<string> {
  const { email = newEmail(), name = 'Paula Person', role = 'user' } = user
  const body = { email, name, role, password: PASSWORD, data: { emailVerified: true } }
  const answer = await admin.client.post('/api/auth/admin/create-user', body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.user.id
}
