import assert from 'node:assert/strict'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { setPasswordHash } from '../../server/core/credentials/password-store.ts'
import { inTransaction, type UnitOfWork } from '../../server/core/in-transaction.ts'
import { addMember } from '../../server/core/memberships/add-member.ts'
import { AUTHENTICATION_METHODS } from '../../server/core/sessions/authentication-methods.ts'
import { startSession } from '../../server/core/sessions/start-session.ts'
import { createUser, type NewUser } from '../../server/core/users/create-user.ts'
import type { OrganizationRole, ServiceRole } from '../../server/platform/database/tables.ts'
import { DEVICE_COOKIE, SESSION_COOKIE } from '../../server/platform/http/cookies.ts'
import type { Client } from './client.ts'
import { randomLetters } from './random-letters.ts'
import { createOtherHash } from './remembered-passwords.ts'
import type { Service } from './service.ts'

export const PASSWORD = 'correct horse battery staple'

export interface TestUser {
  client: Client
  id: string
  email: string
  /** The session token, for `authorization: Bearer`. */
  token: string
}

export interface TestMember extends TestUser {
  organization: { id: string; slug: string; name: string }
}

const administrators = new WeakMap<Service, Promise<Pick<TestUser, 'id' | 'email'>>>()

/** The service's first administrator, created once, with a new session each time. */
export async function administrator(service: Service): Promise<TestUser> {
  const known = administrators.get(service) ?? createAdministrator(service)
  administrators.set(service, known)
  // A busy machine may fail one test, and must not fail all later ones.
  known.catch(() => administrators.delete(service))
  return sessionOf(service, await known)
}

/** The session that a sign-in starts, without its 25 ms of password hashing. */
export async function sessionOf(
  service: Service,
  { id, email }: Pick<TestUser, 'id' | 'email'>,
  activeOrganizationId: string | null = null,
): Promise<TestUser> {
  const { context } = service
  const client = service.client()
  const actor = { ...OPERATOR, actorId: id, ipAddress: client.address, userAgent: 'node' }
  const device = { hash: undefined, isBrowser: true }
  const authenticationMethods = AUTHENTICATION_METHODS.password
  const { token, newDeviceToken = '' } = await inTransaction(context, actor, (unit) =>
    startSession(unit, { userId: id, rememberMe: true, activeOrganizationId, device, authenticationMethods }),
  )
  client.cookies.set(SESSION_COOKIE, token).set(DEVICE_COOKIE, newDeviceToken)
  return { client, id, email, token }
}

/** The rows that set-up leaves, without a session. */
async function createAdministrator(service: Service): Promise<Pick<TestUser, 'id' | 'email'>> {
  const email = 'admin@example.com'
  const [id = ''] = await createUsers(service, [{ name: 'Ada Admin', email, role: 'admin', origin: 'setup' }])
  return { id, email }
}

/** Signs in with the password of all test users. */
export async function signedIn(
  service: Service,
  email: string,
  password = PASSWORD,
  userAgent = 'node',
): Promise<TestUser> {
  const client = service.client()
  const headers = { 'user-agent': userAgent }
  const answer = await client.post('/api/auth/sign-in/email', { email, password }, { headers })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return { client, id: answer.body.user.id, email, token: answer.body.token }
}

/** The administrator with a new organization, which is active in the session. */
export async function administratorWithOrganization(
  service: Service,
  metadata?: Record<string, unknown>,
): Promise<TestMember> {
  const user = await administrator(service)
  const slug = `org-${randomLetters()}`
  const answer = await user.client.post('/api/auth/organization/create', {
    name: 'Example Works',
    slug,
    ...(metadata && { metadata }),
  })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return { ...user, organization: answer.body }
}

/** The id of the membership, which becomes the active one of the session. */
export async function memberIdOf({ client, organization }: TestMember): Promise<string> {
  const { body } = await client.post('/api/auth/organization/set-active', { organizationId: organization.id })
  assert.equal(body.id, organization.id)
  return (await client.get('/api/auth/organization/get-active-member')).body.id
}

export function newEmail(): string {
  return `hire-${randomLetters()}@example.com`
}

export interface Invited {
  email: string
  invitationId: string
  /** The path of the link in the email. */
  linkPath: string
}

/** Invites an email address and reads the email. */
export async function invite(
  service: Service,
  inviter: TestMember,
  email = newEmail(),
  role = 'member',
): Promise<Invited> {
  const answer = await inviter.client.post('/api/auth/organization/invite-member', {
    email,
    role,
    organizationId: inviter.organization.id,
  })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return { email, invitationId: answer.body.id, linkPath: await invitationLink(service, email) }
}

export async function invitationLink(service: Service, email: string): Promise<string> {
  const [message] = await service.emails(email)
  const link = message?.text.match(/https?:\S+\/invite\/\S+/)?.[0]
  assert.ok(link, `no invitation email to ${email}`)
  return new URL(link).pathname
}

/** Opens the link and signs up, without accepting the invitation. */
export async function signUp(service: Service, { email, linkPath }: Invited): Promise<TestUser> {
  const client = service.client()
  await client.get(linkPath)
  const answer = await client.post('/api/auth/sign-up/email', { name: 'Hilda Hire', email, password: PASSWORD })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return { client, id: answer.body.user.id, email, token: answer.body.token }
}

/** A new member of the inviter's organization: the rows that sign-up and accept-invitation leave, without their emails. */
export async function member(
  service: Service,
  inviter: TestMember,
  role: OrganizationRole = 'member',
): Promise<TestMember> {
  const { context } = service
  const { organization } = inviter
  const passwordHash = await hashOnce()
  const email = newEmail()
  const id = await inTransaction(context, OPERATOR, async (unit) => {
    const userId = await insertUser(unit, passwordHash, { name: 'Hilda Hire', email, origin: 'staff' })
    await addMember(unit.transaction, context, { organizationId: organization.id, userId, role })
    return userId
  })
  return { ...(await sessionOf(service, { id, email }, organization.id)), organization }
}

/** A member of a new organization, whose owner is the administrator. */
export async function newMember(service: Service, role?: OrganizationRole): Promise<TestMember> {
  return member(service, await administratorWithOrganization(service), role)
}

/** Adds a user to another organization. */
export function joinOrganization(
  { context }: Service,
  { id: userId }: TestUser,
  { organization }: TestMember,
): Promise<void> {
  return inTransaction(context, OPERATOR, async ({ transaction }) => {
    await addMember(transaction, context, { organizationId: organization.id, userId, role: 'member' })
  })
}

interface NewTestUser {
  email?: string
  name?: string
  role?: ServiceRole
}

/**
 * Inserts a user with a verified email address and the password of all test users.
 * @param actorId the administrator who creates the user
 * @returns the id
 */
export async function newUser(service: Service, user: NewTestUser = {}, actorId?: string): Promise<string> {
  const [id = ''] = await createUsers(service, [{ ...user, origin: 'staff' }], actorId)
  return id
}

/** @returns the ids */
export async function createUsers(
  { context }: Service,
  users: (NewTestUser & Pick<NewUser, 'origin'>)[],
  actorId: string | null = null,
): Promise<string[]> {
  const passwordHash = await hashOnce()
  return inTransaction(context, { ...OPERATOR, actorId }, async (unit) => {
    const ids: string[] = []
    for (const user of users) ids.push(await insertUser(unit, passwordHash, user))
    return ids
  })
}

async function insertUser(
  unit: UnitOfWork,
  passwordHash: string,
  { email = newEmail(), name = 'Paula Parker', ...others }: NewTestUser & Pick<NewUser, 'origin'>,
): Promise<string> {
  const { id } = await createUser(unit, { ...others, email, name, emailVerified: true })
  await setPasswordHash(unit.transaction, unit.context, id, passwordHash)
  return id
}

let hashOfPassword: Promise<string> | undefined

/** The hash of the password of all test users, computed once in a process. A user who sets this password has another. */
export function hashOnce(): Promise<string> {
  hashOfPassword ??= createOtherHash(PASSWORD)
  return hashOfPassword
}

/** The first link in the newest email to an email address. */
export async function linkIn(service: Service, email: string): Promise<string> {
  const [message] = await service.emails(email)
  const link = message?.text.match(/^https?:\S+$/m)?.[0]
  assert.ok(link, `no link in an email to ${email}`)
  return link
}

/** The token in the fragment of the first link in the newest email. */
export async function tokenIn(service: Service, email: string): Promise<string> {
  return new URLSearchParams(new URL(await linkIn(service, email)).hash.slice(1)).get('token') ?? ''
}
