import { OPERATOR } from '../../server/core/audit/actor.ts'
import { recordEvent } from '../../server/core/audit/record-event.ts'
import { setPasswordHash } from '../../server/core/credentials/password-store.ts'
import { createUnit } from '../../server/core/in-transaction.ts'
import { addMember } from '../../server/core/memberships/add-member.ts'
import { AUTHENTICATION_METHODS } from '../../server/core/sessions/authentication-methods.ts'
import { createCallerFinder } from '../../server/core/sessions/caller-cache.ts'
import { createImpersonationTokens, startImpersonatedSession } from '../../server/core/sessions/impersonated-session.ts'
import { startSession } from '../../server/core/sessions/start-session.ts'
import { createToken } from '../../server/core/single-use-tokens/single-use-tokens.ts'
import { createSecondStepChallenge } from '../../server/core/two-step/challenge.ts'
import { createUser } from '../../server/core/users/create-user.ts'
import { hashToken, newId, newToken } from '../../server/platform/crypto/tokens.ts'
import type { ServiceRole } from '../../server/platform/database/tables.ts'
import { findSessionOf, insertTestClientSessions } from './client-sessions.ts'
import { insertTestClient, insertTestConsent } from './oauth-clients.ts'
import { randomLetters } from './random-letters.ts'
import type { Service } from './service.ts'
import { enableTotp, type TwoStep } from './two-step.ts'

export interface SceneUser {
  id: string
  email: string
  token: string
  otherToken: string
}

/** Users and organizations with every kind of relation between them. */
export interface RaceScene {
  /** `boss` and `vice` are administrators. */
  boss: SceneUser
  vice: SceneUser
  /** Tokens of sessions in which `boss` impersonates Pat. */
  impersonations: string[]
  /** Owns `shared` together with Kim and `own` alone, and has an invitation to `third`. */
  pat: SceneUser
  /** Owns `third` alone, and has an authenticator app. */
  kim: SceneUser
  app: TwoStep
  /** A sign-in of Kim that waits for the second step. */
  twoFactorToken: string
  shared: string
  own: string
  third: string
  /** An OAuth client of `shared` with access to Pat's account. Every session is signed in at it, and at the next one. */
  clientId: string
  /** A client of the service. */
  serviceClientId: string
  /** The memberships in `shared`. */
  patMemberId: string
  kimMemberId: string
  /** Invites Pat to `third`. */
  invitation: Invitation
  /** Invites an email address without a user to `shared`. */
  invited: Invitation
  /** Tokens of the links in emails to Pat. */
  links: Record<Link, string>
}

export interface Invitation {
  email: string
  id: string
  /** The last part of the link in the email. */
  reference: string
}

const LINKS = ['reset password', 'verify email', 'change email', 'undo email change', 'delete user'] as const
type Link = (typeof LINKS)[number]
const WITH_LOG_OUT = { backchannel_logout_uri: 'https://app.example.com/log-out' }
/** Links that belong to the session of Pat with `token`. */
const SESSION_BOUND: Link[] = ['change email', 'delete user']

/**
 * Inserts rows into the database, because requests for all of them would take too long.
 * @param passwordHash the password hash of every user
 * @param order the order in which users are created, and so of their ids: rows are locked in the order of ids
 */
export async function createScene({ context }: Service, passwordHash: string, order: string[]): Promise<RaceScene> {
  const { database } = context
  const suffix = randomLetters()
  const users = new Map<string, SceneUser>()
  for (const name of order) {
    const role = name === 'boss' || name === 'vice' ? 'admin' : 'user'
    users.set(
      name,
      await createSceneUser(context, { name, email: `${name}-${suffix}@example.com`, role, passwordHash }),
    )
  }
  const [boss, vice, pat, kim] = ['boss', 'vice', 'pat', 'kim'].map((name) => users.get(name)) as [
    SceneUser,
    SceneUser,
    SceneUser,
    SceneUser,
  ]
  const own = await createOrganization(context, `own-${suffix}`, [pat])
  const third = await createOrganization(context, `third-${suffix}`, [kim])
  const shared = await createOrganization(context, `shared-${suffix}`, [pat, kim])
  const app = await enableTotp({ context }, kim)
  const twoFactorToken = await createSecondStepChallenge(database, context, kim.id, { rememberMe: true })
  const impersonations = [await createImpersonation(context, boss, pat), await createImpersonation(context, boss, pat)]
  const { client } = await insertTestConsent({ context }, pat.id, {
    metadata: WITH_LOG_OUT,
    columns: { organizationId: shared.id, secretHash: newToken(context) },
  })
  const clientId = client.id
  const { id: serviceClientId } = await insertTestClient({ context }, WITH_LOG_OUT)
  const given: [SceneUser, organizationIds: string[]][] = [
    [boss, []],
    [vice, []],
    [pat, [own.id, shared.id]],
    [kim, [shared.id, third.id]],
  ]
  for (const [user, organizationIds] of given) {
    const tokens = [user.token, user.otherToken, ...(user === pat ? impersonations : [])]
    await createClientSessions(context, tokens, [clientId, serviceClientId], [null, ...organizationIds])
  }
  const links = {} as Record<Link, string>
  const sessionId = (await createCallerFinder(context, undefined)(pat.token))?.session.id ?? ''
  for (const link of LINKS) {
    const data = { email: pat.email, oldEmail: link === 'change email' ? pat.email : `old-${pat.email}` }
    links[link] = await createToken(database, context, link, {
      userId: pat.id,
      ...(SESSION_BOUND.includes(link) && { sessionId }),
      data: { ...data, newEmail: `new-${pat.email}` },
    })
  }
  const [patMemberId = '', kimMemberId = ''] = shared.memberIds
  return {
    ...{ boss, vice, impersonations, pat, kim, links, patMemberId, kimMemberId },
    ...{ app, twoFactorToken, own: own.id, third: third.id, shared: shared.id, clientId, serviceClientId },
    invitation: await createInvitation(context, third.id, kim.id, pat.email),
    invited: await createInvitation(context, shared.id, kim.id, `invited-${suffix}@example.com`),
  }
}

type Context = Service['context']
type NewSceneUser = { name: string; email: string; role: ServiceRole; passwordHash: string }

async function createSceneUser(context: Context, { passwordHash, ...testUser }: NewSceneUser): Promise<SceneUser> {
  const { database } = context
  const unit = createUnit(database, context, OPERATOR)
  const { id, email } = await createUser(unit, { ...testUser, emailVerified: true, origin: 'staff' })
  await setPasswordHash(database, context, id, passwordHash)
  // An expired ban, which the maintenance removes.
  await database.updateTable('users').set({ banned: 1, banExpires: 1 }).where('id', '=', id).execute()
  const device = { hash: undefined, isBrowser: false }
  const start = () =>
    startSession(unit, { userId: id, rememberMe: true, device, authenticationMethods: AUTHENTICATION_METHODS.password })
  return { id, email, token: (await start()).token, otherToken: (await start()).token }
}

async function createImpersonation(context: Context, staff: SceneUser, user: SceneUser): Promise<string> {
  const caller = await createCallerFinder(context, undefined)(staff.token)
  if (!caller) throw new Error('The session of the impersonator is not live')
  const unit = createUnit(context.database, context, OPERATOR)
  const tokens = createImpersonationTokens(context, caller)
  const { token, session } = await startImpersonatedSession(unit, caller, { userId: user.id }, tokens)
  await recordEvent(context.database, context, OPERATOR, {
    action: 'impersonation.started',
    details: { sessionId: session.id },
  })
  return token
}

/** Sessions at each client, each given an organization. */
async function createClientSessions(
  context: Context,
  tokens: string[],
  clientIds: string[],
  organizationIds: (string | null)[],
): Promise<void> {
  const sessions = await Promise.all(tokens.map((token) => findSessionOf({ context }, { token })))
  const rows = sessions.flatMap(({ id: sessionId, userId }) =>
    clientIds.flatMap((clientId) =>
      organizationIds.map((organizationId) => ({ sessionId, userId, clientId, organizationId })),
    ),
  )
  await insertTestClientSessions({ context }, rows)
}

/** Creates an organization and sets it active in every session of its owners. */
async function createOrganization(context: Context, slug: string, owners: SceneUser[]) {
  const { database } = context
  const id = newId('org', context)
  const row = { id, name: slug, slug, logo: null, metadata: null, createdAt: context.now(), requireTwoFactor: 0 }
  await database.insertInto('organizations').values(row).execute()
  const memberIds: string[] = []
  for (const { id: userId } of owners) {
    memberIds.push((await addMember(database, context, { organizationId: id, userId, role: 'owner' })).id)
    await database.updateTable('sessions').set({ activeOrganizationId: id }).where('userId', '=', userId).execute()
  }
  return { id, memberIds }
}

async function createInvitation(
  context: Context,
  organizationId: string,
  inviterId: string,
  email: string,
): Promise<Invitation> {
  const id = newId('inv', context)
  const secret = newToken(context)
  const createdAt = context.now()
  const row = { id, organizationId, email, role: 'member', inviterId, status: 'pending', createdAt } as const
  const guarded = { secretHash: hashToken(secret), expiresAt: createdAt + 3_600_000 }
  await context.database
    .insertInto('invitations')
    .values({ ...row, ...guarded })
    .execute()
  return { email, id, reference: `${id}.${secret}` }
}
