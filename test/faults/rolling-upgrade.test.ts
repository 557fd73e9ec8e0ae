import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Answer, type Client, createClient } from '../support/client.ts'
import { checkOutVersion } from '../support/other-version.ts'
import { printedSetupToken, runAccounts, type ServiceProcess } from '../support/process.ts'
import { randomLetters } from '../support/random-letters.ts'
import { prepareSharedDatabase } from '../support/shared-database.ts'
import { SteadyLoad } from '../support/steady-load.ts'
import { PASSWORD } from '../support/users.ts'

/** The last commit before the first migration of this version. A release moves it. */
const PREVIOUS_VERSION = 'dd2adf5baeda44efb40ae8cf86e2bfdaa1b7a696'
const ROUNDS = 5
const TOKEN = 'token?org=example-works'

test('The previous version serves beside this one, before, during and after the migration of PostgreSQL', async (t) => {
  const mainFile = await checkOutVersion(t, PREVIOUS_VERSION)
  if (!mainFile) return skipLoudly(t)
  const { environment, start } = await prepareSharedDatabase(t)
  const previous = await start({ mainFile })
  const scene = new Scene(environment.BASE_URL)
  const admin = await scene.createAdministrator(previous)
  await scene.createOrganization(previous, admin)
  const user = await scene.createUser(previous, admin)
  const load = new SteadyLoad()
  t.after(() => load.end())
  load.add(...scene.requests(previous, admin, user))
  await load.answers(30)

  const current = await start()
  load.add(...scene.requests(current, admin, user))
  await load.answers(30)
  for (const [one, other] of [
    [previous, current],
    [current, previous],
  ] as const) {
    await scene.assertChangesSeen(one, other, admin)
    await scene.assertRevocationsSeen(one, other, admin)
  }
  const outcomes = await load.end()
  t.diagnostic(`requests by outcome: ${JSON.stringify(outcomes)}`)
  assert.deepEqual(
    Object.keys(outcomes).filter((outcome) => !['200', '503'].includes(outcome)),
    [],
  )

  for (const running of [previous, current]) {
    running.child.kill('SIGTERM')
    assert.equal(await running.ended, 0)
  }
  const { SECRET, DATABASE_URL } = environment
  const audit = runAccounts(['audit', 'verify'], { SECRET, DATABASE_URL })
  assert.equal(await audit.ended, 0, audit.output())
})

function skipLoudly(t: TestContext): void {
  const reason = `SKIPPED: this clone has no commit ${PREVIOUS_VERSION}; git fetch --unshallow brings it`
  console.error(reason)
  t.skip(reason)
}

interface Session {
  userId: string
  email: string
  token: string
}

/** Requests of users at any of the processes, which have one origin, as behind a load balancer. */
class Scene {
  private origin: string
  constructor(origin: string) {
    this.origin = origin
  }

  async createAdministrator(at: ServiceProcess): Promise<Session> {
    const email = 'ada@example.com'
    const setup = { token: printedSetupToken(at), name: 'Ada Admin', email, password: PASSWORD }
    const { user, token } = await this.ok(at, 'setup', setup, undefined, '/api/')
    return { userId: user.id, email, token }
  }

  async createOrganization(at: ServiceProcess, admin: Session): Promise<void> {
    await this.ok(at, 'organization/create', { name: 'Example Works', slug: 'example-works' }, admin)
  }

  async createUser(at: ServiceProcess, admin: Session): Promise<Session> {
    const email = `${randomLetters()}@example.com`
    await this.ok(
      at,
      'admin/create-user',
      { email, name: 'Bea', password: PASSWORD, data: { emailVerified: true } },
      admin,
    )
    return this.signIn(at, email)
  }

  async signIn(at: ServiceProcess, email: string): Promise<Session> {
    const { user, token } = await this.ok(at, 'sign-in/email', { email, password: PASSWORD })
    return { userId: user.id, email, token }
  }

  async findSession(at: ServiceProcess, session: Session) {
    const answer = await this.get(at, 'auth/get-session', session)
    assert.equal(answer.status, 200)
    return answer.body
  }

  get(at: ServiceProcess, path: string, session: Session) {
    return this.client(at).get(`/api/${path}`, this.headers(session))
  }

  post(at: ServiceProcess, path: string, body: unknown, session?: Session) {
    return this.client(at).post(`/api/${path}`, body, this.headers(session))
  }

  async assertChangesSeen(one: ServiceProcess, other: ServiceProcess, admin: Session): Promise<void> {
    const user = await this.createUser(one, admin)
    assert.equal((await this.findSession(other, user)).user.email, user.email, 'a session works at both')
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `Name ${randomLetters()}`
      await this.ok(one, 'update-user', { name }, user)
      assert.equal((await this.findSession(other, user)).user.name, name, 'a new name is seen immediately')
    }
    assert.equal((await this.get(other, TOKEN, admin)).status, 200)
    await this.ok(one, 'admin/set-role', { userId: user.userId, role: 'support' }, admin)
    assert.equal((await this.findSession(other, user)).user.role, 'support')
  }

  async assertRevocationsSeen(one: ServiceProcess, other: ServiceProcess, admin: Session): Promise<void> {
    const { email, userId } = await this.createUser(one, admin)
    for (let round = 0; round < ROUNDS; round += 1) {
      const session = await this.signIn(one, email)
      assert.equal((await this.findSession(other, session)).user.id, userId)
      await this.ok(one, 'sign-out', {}, session)
      assert.equal(await this.findSession(other, session), null, 'a revoked session is seen immediately')
    }
    const banned = await this.signIn(other, email)
    assert.ok(await this.findSession(other, banned))
    await this.ok(one, 'admin/ban-user', { userId }, admin)
    assert.equal(await this.findSession(other, banned), null, 'a ban is seen immediately')
  }

  /** A sign-in revokes the oldest sessions of its user, so another user signs in. */
  requests(at: ServiceProcess, admin: Session, { email }: Session): (() => Promise<Answer>)[] {
    return [
      () => this.get(at, 'auth/get-session', admin),
      () => this.get(at, TOKEN, admin),
      () => this.post(at, 'auth/update-user', { name: `Name ${randomLetters()}` }, admin),
      () => this.post(at, 'auth/sign-in/email', { email, password: PASSWORD }),
    ]
  }

  private async ok(at: ServiceProcess, path: string, body: unknown, session?: Session, prefix = '/api/auth/') {
    const answer = await this.client(at).post(`${prefix}${path}`, body, this.headers(session))
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  private client({ port }: ServiceProcess): Client {
    return createClient(`http://localhost:${port}`)
  }

  private headers(session?: Session) {
    return { headers: { origin: this.origin, ...(session && { authorization: `Bearer ${session.token}` }) } }
  }
}
