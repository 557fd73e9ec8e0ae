import assert from 'node:assert/strict'
import { type Authenticator, createAuthenticator } from './authenticator.ts'
import type { BetterAuth } from './better-auth.ts'
import type { Client } from './client.ts'
import { randomLetters } from './random-letters.ts'
import { appOfUri } from './two-step.ts'

/** The common password of the users in the source. */
export const SOURCE_PASSWORD = 'an old password of Better Auth'

export interface SourceUser {
  id: string
  email: string
  client: Client
}

export async function post(client: Client, path: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await client.post(`/api/auth${path}`, body)
  assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`)
  return answer.body as Record<string, unknown>
}

/** Signs up at Better Auth. The letters in the name and in the email address are random. */
export async function signUpAtSource(source: BetterAuth, name = `Ada ${randomLetters()}`): Promise<SourceUser> {
  const client = source.client()
  const email = `${randomLetters()}@example.com`
  const { user } = await post(client, '/sign-up/email', { name, email, password: SOURCE_PASSWORD })
  return { id: (user as { id: string }).id, email, client }
}

export interface SourceScene {
  owner: SourceUser & { authenticator: Authenticator }
  member: SourceUser
  banned: SourceUser
  /** The user with an authenticator app. */
  careful: SourceUser & { app: ReturnType<typeof appOfUri> }
  invited: SourceUser
  organization: { id: string; slug: string }
  invitationId: string
  apiKey: string
  userApiKeyId: string
}

/** One object of every kind, made by the endpoints of Better Auth. */
export async function makeScene(source: BetterAuth, baseUrl: string): Promise<SourceScene> {
  const [owner, member, banned, careful, invited] = [
    await signUpAtSource(source, 'Olga Owner'),
    await signUpAtSource(source, 'Max Member'),
    await signUpAtSource(source, 'Bob Banned'),
    await signUpAtSource(source, 'Carla Careful'),
    await signUpAtSource(source, 'Ina Invited'),
  ]
  // Without a mail server there is no link that verifies an email address.
  await source.run(`update "user" set "emailVerified" = ${source.url.startsWith('sqlite') ? '1' : 'true'}`)
  await source.run(`update "user" set role = 'admin' where id = ?`, owner.id)

  const slug = `works-${randomLetters()}`
  const organization = await post(owner.client, '/organization/create', { name: 'Example Works', slug })
  const organizationId = organization.id as string
  const joining = await post(owner.client, '/organization/invite-member', {
    email: member.email,
    role: ['member', 'admin'],
    organizationId,
  })
  await post(member.client, '/organization/accept-invitation', { invitationId: joining.id })
  const invitation = await post(owner.client, '/organization/invite-member', {
    email: invited.email,
    role: 'admin',
    organizationId,
  })
  const apiKey = await post(owner.client, '/api-key/create', {
    configId: 'organizations',
    organizationId,
    name: 'Payroll',
    metadata: { for: 'payroll' },
  })
  const userApiKey = await post(owner.client, '/api-key/create', { configId: 'users', name: 'Own' })

  const authenticator = createAuthenticator(baseUrl)
  const { body: ceremony } = await owner.client.get('/api/auth/passkey/generate-register-options')
  await post(owner.client, '/passkey/verify-registration', {
    response: { ...authenticator.create(ceremony), clientExtensionResults: {} },
    name: 'Laptop',
  })

  await post(owner.client, '/admin/ban-user', { userId: banned.id, banReason: 'Spam' })
  const { totpURI } = await post(careful.client, '/two-factor/enable', { password: SOURCE_PASSWORD })
  const app = appOfUri(totpURI as string)
  await post(careful.client, '/two-factor/verify-totp', { code: app.codeAt(Date.now()) })
  return {
    owner: { ...owner, authenticator },
    member,
    banned,
    careful: { ...careful, app },
    invited,
    organization: { id: organizationId, slug },
    invitationId: invitation.id as string,
    apiKey: apiKey.key as string,
    userApiKeyId: userApiKey.id as string,
  }
}
