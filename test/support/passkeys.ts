import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AuditAction } from '../../server/core/audit/actions.ts'
import { newId } from '../../server/platform/crypto/tokens.ts'
import { type Authenticator, createAuthenticator, type Deviations } from './authenticator.ts'
import type { Answer, Client } from './client.ts'
import type { Service } from './service.ts'
import { administratorWithOrganization, invite, newEmail, newMember, type TestMember, type TestUser } from './users.ts'

const PATH = '/api/auth/passkey'

export async function registerOptions(client: Client, query = ''): Promise<Answer['body']> {
  const answer = await client.get(`${PATH}/generate-register-options${query}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

export async function authenticateOptions(client: Client, query = ''): Promise<Answer['body']> {
  const answer = await client.get(`${PATH}/generate-authenticate-options${query}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

/** Runs the whole registration ceremony, with the given deviations. */
export async function tryToAdd(
  client: Client,
  authenticator: Authenticator,
  deviations: Deviations = {},
): Promise<Answer> {
  const response = authenticator.create(await registerOptions(client), deviations)
  return client.post(`${PATH}/verify-registration`, { response })
}

/** Runs the whole authentication ceremony, with the given deviations. */
export async function tryToSignIn(
  client: Client,
  authenticator: Authenticator,
  deviations: Deviations = {},
): Promise<Answer> {
  const response = authenticator.get(await authenticateOptions(client), deviations)
  return client.post(`${PATH}/verify-authentication`, { response })
}

/** As the sign-in page does, also in a browser that is signed in. */
export async function startNewSession(
  client: Client,
  authenticator: Authenticator,
  more: { rememberMe?: boolean } = {},
): Promise<Answer> {
  const response = authenticator.get(await authenticateOptions(client, '?newSession=true'))
  return client.post(`${PATH}/verify-authentication`, { response, ...more })
}

export interface PasskeyUser extends TestUser {
  authenticator: Authenticator
  passkeyId: string
}

/** Adds a passkey to a user. */
export async function addPasskey<P extends TestUser>(
  service: Service,
  user: P,
  model: Parameters<typeof createAuthenticator>[1] = {},
): Promise<P & PasskeyUser> {
  const authenticator = createAuthenticator(service.baseUrl, model)
  const answer = await tryToAdd(user.client, authenticator)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return { ...user, authenticator, passkeyId: answer.body.id }
}

/** A new member with a password and a passkey. */
export async function userWithPasskey(service: Service): Promise<TestMember & PasskeyUser> {
  return addPasskey(service, await newMember(service))
}

/** A user who signed up with an invitation and a passkey, so without a password. */
export async function userWithPasskeyOnly(service: Service): Promise<PasskeyUser> {
  const { linkPath, email } = await invite(service, await administratorWithOrganization(service), newEmail())
  const client = service.client()
  await client.get(linkPath)
  const authenticator = createAuthenticator(service.baseUrl)
  const response = authenticator.create(await registerOptions(client, '?context=sign-up&name=Hilda%20Hire'))
  const answer = await client.post(`${PATH}/verify-registration`, { response })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return {
    client,
    email,
    id: answer.body.user.id,
    token: answer.body.session.token,
    authenticator,
    passkeyId: answer.body.id,
  }
}

/** The error codes in the audit events of a user, in alphabetical order. */
export async function refusals({ context }: Service, action: AuditAction, subjectId: string): Promise<string[]> {
  await context.repeatedEvents.save()
  const events = await context.database
    .selectFrom('auditEvents')
    .select('details')
    .where('action', '=', action)
    .where('subjectId', '=', subjectId)
    .execute()
  return events
    .map(({ details }) => JSON.parse(details) as { code: string; count: number })
    .flatMap(({ code, count }) => Array<string>(count).fill(code))
    .sort()
}

/** Stores passkeys without their ceremonies. Their keys verify nothing. */
export async function insertTestPasskeys({ context }: Service, userId: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => ({
    id: newId('psk', context),
    userId,
    name: 'Key',
    credentialID: randomUUID(),
    publicKey: '',
    counter: 0,
    deviceType: 'singleDevice' as const,
    backedUp: 0,
    transports: '',
    aaguid: '',
    createdAt: 1,
    lastUsedAt: null,
    isImported: 0,
  }))
  await context.database.insertInto('passkeys').values(rows).execute()
}
