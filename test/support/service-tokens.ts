import assert from 'node:assert/strict'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { bearerClient } from './bearer-client.ts'
import type { Service } from './service.ts'
import type { TestMember } from './users.ts'

/** @returns a signed token for the organization of the user */
export async function mintToken(service: Service, user: TestMember): Promise<string> {
  const { status, body } = await bearerClient(service, user).get(`/api/token?org=${user.organization.slug}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.token
}

/** Verifies a token like a service with a correct clock, with a clock tolerance. */
export async function verifyToken(service: Service, token: string, toleranceMilliseconds = 0): Promise<void> {
  const { body } = await service.client().get('/api/auth/jwks')
  await jwtVerify(token, createLocalJWKSet(body), {
    audience: 'accounts-services',
    clockTolerance: toleranceMilliseconds / 1000,
    currentDate: new Date(service.context.now()),
  })
}
