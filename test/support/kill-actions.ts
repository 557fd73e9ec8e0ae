import assert from 'node:assert/strict'
import type { Answer, Client } from './client.ts'
import { Account, Known } from './kill-expectations.ts'
import type { createRandom } from './random.ts'

type Random = ReturnType<typeof createRandom>

/** One client of the service. It acts as one user and stores every acknowledged change. */
export interface Actor {
  /** Returns a client without cookies. Each request names its session by a bearer token. */
  client: () => Client
  account: Account
  /** Receives new users. */
  accounts: Account[]
  random: Random
  /** Returns a new text on each call. */
  unique(): string
  /** Whether the actor is to end after the current action. */
  isOver(): boolean
  /** Called after each acknowledged action. */
  onAcknowledged(): void
}

type Action = (actor: Actor, token: string) => Promise<unknown>

/** Frequent actions are in the list several times. */
const ACTIONS: Action[] = [
  rename,
  rename,
  rename,
  signIn,
  signOut,
  revokeOthers,
  changePassword,
  createOrganization,
  inviteAndSignUp,
]

/** Runs random actions until a request fails because the service was killed, or until they are to end. */
export async function act(actor: Actor): Promise<void> {
  while (!actor.isOver()) {
    const [token] = actor.account.liveTokens
    if (token === undefined) await signIn(actor)
    else await actor.random.pick(ACTIONS)(actor, token)
    actor.onAcknowledged()
  }
}

/** The answer was 503. As without an answer, the change may have been committed or not. */
export class Unavailable extends Error {}

/** Before the answer, the old and the new value are possible. After it, only the new value is. */
async function attempt(changes: [Known<unknown>, unknown][], request: () => Promise<Answer>): Promise<Answer> {
  for (const [known, value] of changes) known.attempt(value)
  const answer = await acknowledged(request())
  for (const [known, value] of changes) known.acknowledge(value)
  return answer
}

async function acknowledged(request: Promise<Answer>): Promise<Answer> {
  const answer = await request
  if (answer.status === 503) throw new Unavailable()
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer
}

const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

async function rename({ client, account, unique }: Actor, token: string): Promise<void> {
  const name = `Name ${unique()}`
  account.renamesAttempted += 1
  await attempt([[account.names, name]], () => client().post('/api/auth/update-user', { name }, as(token)))
  account.renamesAcknowledged += 1
}

async function signIn({ client, account }: Actor): Promise<void> {
  const { email, passwords } = account
  const credentials = { email, password: passwords.certain }
  addSession(account, await acknowledged(client().post('/api/auth/sign-in/email', credentials)))
}

async function signOut({ client, account, random }: Actor): Promise<void> {
  const token = random.pick(account.liveTokens)
  await attempt([[sessionOf(account, token), false]], () => client().post('/api/auth/sign-out', {}, as(token)))
}

async function revokeOthers({ client, account }: Actor, token: string): Promise<void> {
  const others = [...account.sessions.keys()].filter((other) => other !== token)
  await attempt(
    others.map((other) => [sessionOf(account, other), false]),
    () => client().post('/api/auth/revoke-other-sessions', {}, as(token)),
  )
}

async function changePassword({ client, account, unique }: Actor, token: string): Promise<void> {
  const newPassword = `a fine password ${unique()}`
  const body = { currentPassword: account.passwords.certain, newPassword }
  const revoked = [...account.sessions.values()].map((session): [Known<unknown>, unknown] => [session, false])
  const answer = await attempt([[account.passwords, newPassword], ...revoked], () =>
    client().post('/api/auth/change-password', body, as(token)),
  )
  addSession(account, answer)
}

export async function createOrganization({ client, account, unique }: Actor, token: string): Promise<void> {
  const slug = `org-${unique()}`
  const organization: { exists: Known<boolean>; id?: string } = { exists: new Known(false) }
  account.organizations.set(slug, organization)
  const { body } = await attempt([[organization.exists, true]], () =>
    client().post('/api/auth/organization/create', { name: 'Example Works', slug }, as(token)),
  )
  organization.id = body.id
}

/** Invites a new user, who signs up with the link in the email. */
export async function inviteAndSignUp({ client, account, accounts, unique }: Actor, token: string): Promise<void> {
  const organizationId = [...account.organizations.values()].find(({ id }) => id !== undefined)?.id
  if (organizationId === undefined) return
  const invited = new Account(`hire-${unique()}@example.com`, 'Hilda Hire', `a fine password ${unique()}`)
  const { email, name, passwords, exists } = invited
  const invitation = new Known(false)
  account.invitations.set(email, invitation)
  await attempt([[invitation, true]], () =>
    client().post('/api/auth/organization/invite-member', { email, role: 'member', organizationId }, as(token)),
  )
  const { body } = await acknowledged(client().get('/dev/mailbox/emails'))
  const { text } = (body.emails as { to: string; text: string }[]).find(({ to }) => to === email) ?? { text: '' }
  const reference = /\/invite\/(\S+)/.exec(text)?.[1]
  accounts.push(invited)
  const answer = await attempt([[exists, true]], () =>
    client().post('/api/auth/sign-up/email', { name, email, password: passwords.certain, invitation: reference }),
  )
  addSession(invited, answer)
}

export function addSession(account: Account, { body }: Answer): void {
  const session = new Known(false)
  session.acknowledge(true)
  account.sessions.set(body.token, session)
}

function sessionOf(account: Account, token: string): Known<boolean> {
  const session = account.sessions.get(token)
  assert.ok(session)
  return session
}
