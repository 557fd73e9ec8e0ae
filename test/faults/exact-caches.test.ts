import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import type { RowChanges } from '../../server/platform/database/row-changes.ts'
import { type Answer, type Client, createClient } from '../support/client.ts'
import { History } from '../support/history.ts'
import { startProcess } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import { type Service, startService } from '../support/service.ts'
import {
  administratorWithOrganization,
  joinOrganization,
  member,
  sessionOf,
  type TestMember,
  type TestUser,
} from '../support/users.ts'
import { whenServed } from '../support/when-served.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
/** `npm run test:long` makes many more. */
const CHANGES = 4 * Number(process.env.KILL_ROUNDS ?? 10)
const USERS = 5
const READERS = 9

/** A user whose name, role, membership, session and ban are changed and checked concurrently. */
interface Watched {
  user: TestMember
  name: History<string>
  serviceRole: History<string>
  memberRole: History<string>
  session: { token: string; state: History<'live' | 'revoked'> }
}

/** A value in a response that was not true at any moment between the request and the response. */
interface Stale {
  what: string
  seen: string
  possible: string[]
}

describe(`Caches of three processes (SEED=${seed} CHANGES=${CHANGES})`, () => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    test(`No response is older than the last acknowledged change (${engine})`, async (t) => {
      const service = await startService({ engine })
      t.after(() => service.stop())
      const settings = { SECRET: service.config.secret, LOG_LEVEL: 'warn' }
      const { database } = service.config
      const url = database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url
      const startOther = async () => {
        const other = await startProcess(url, settings)
        t.after(() => {
          other.child.kill('SIGKILL')
          return other.ended
        })
        return other
      }
      const others = [await startOther(), await startOther()]
      const model = await createModel(service, [service, ...others])
      await model.run(CHANGES)
      assert.deepEqual(model.stale, [])
      t.diagnostic(`${model.checks} checks during ${CHANGES} changes`)
    })
  }

  // The weakened cache is above the engine.
  test('The model notices a cache that does not catch up before each use', async (t) => {
    const service = await startService({ engine: 'sqlite' })
    const weakened = await startService({ engine: 'sqlite', beside: service, changeRowChanges: catchUpNowAndThen })
    // The first service drops the database of both, so it stops last.
    t.after(() => weakened.stop().finally(() => service.stop()))
    const model = await createModel(service, [service, weakened])
    for (let round = 0; round < 20 && model.stale.length === 0; round += 1) await model.run(CHANGES)
    assert.notEqual(model.stale.length, 0)
  })
})

/** The weakened cache: only each 20th request reads the changes, so most requests use older values. */
function catchUpNowAndThen(rowChanges: RowChanges): RowChanges {
  let count = 0
  return {
    watch: (...watched) => rowChanges.watch(...watched),
    async catchUp() {
      count += 1
      if (count % 20 === 0) await rowChanges.catchUp()
    },
  }
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

async function createModel(service: Service, processes: { baseUrl: string }[]): Promise<Model> {
  const founder = await administratorWithOrganization(service)
  const users: Watched[] = []
  for (let index = 0; index < USERS; index += 1) {
    const user = await member(service, founder)
    const session = await newSession(service, user)
    const [name, serviceRole, memberRole] = ['Hilda Hire', 'user', 'member'].map((value) => new History(value))
    users.push({ user, session, name: name!, serviceRole: serviceRole!, memberRole: memberRole! })
  }
  return new Model(service, founder, processes, users)
}

async function newSession(service: Service, user: TestUser): Promise<Watched['session']> {
  return { token: (await sessionOf(service, user)).token, state: new History<'live' | 'revoked'>('live') }
}

class Model {
  readonly stale: Stale[] = []
  checks = 0
  private service: Service
  private founder: TestMember
  private processes: { baseUrl: string }[]
  private users: Watched[]
  private random = createRandom(seed)
  private changesLeft = 0
  private version = 0
  private slug: History<string>
  private formerSlug: string

  constructor(service: Service, founder: TestMember, processes: { baseUrl: string }[], users: Watched[]) {
    this.service = service
    this.founder = founder
    this.processes = processes
    this.users = users
    this.formerSlug = founder.organization.slug
    this.slug = new History(founder.organization.slug)
  }

  /** Makes the changes while readers check concurrently. Each request goes to a random process. */
  async run(changes: number): Promise<void> {
    this.changesLeft = changes
    const writers = this.users.map((user) => this.writeUntilDone(user))
    const readers = Array.from({ length: READERS }, () => this.readUntilDone())
    const loops = [...writers, ...readers, this.changeSlugUntilDone()]
    try {
      await Promise.all(loops)
    } finally {
      this.changesLeft = 0
      await Promise.allSettled(loops)
    }
  }

  private async writeUntilDone(watched: Watched): Promise<void> {
    while (this.changesLeft > 0) {
      this.changesLeft -= 1
      await this.random
        .pick([this.rename, this.changeRole, this.changeMember, this.revoke, this.ban])
        .call(this, watched)
    }
  }

  private async readUntilDone(): Promise<void> {
    while (this.changesLeft > 0)
      await this.random.pick([this.checkSession, this.checkToken]).call(this, this.random.pick(this.users))
  }

  private rename({ user, name }: Watched): Promise<void> {
    this.version += 1
    const next = `Version ${this.version}`
    return name.change(next, () => this.post(user.token, 'update-user', { name: next }))
  }

  private changeRole({ user, serviceRole }: Watched): Promise<void> {
    const role = serviceRole.latest === 'user' ? 'support' : 'user'
    return serviceRole.change(role, () => this.post(this.founder.token, 'admin/set-role', { userId: user.id, role }))
  }

  /** Adds or removes a membership, or changes its role. A removal ends no session of the user. */
  private async changeMember({ user, memberRole }: Watched): Promise<void> {
    const { id: organizationId } = this.founder.organization
    if (memberRole.latest === 'none')
      return memberRole.change('member', () => joinOrganization(this.service, user, this.founder))
    if (this.random.chance(0.3))
      return memberRole.change('none', () =>
        this.post(this.founder.token, 'organization/remove-member', { memberIdOrEmail: user.email, organizationId }),
      )
    const role = memberRole.latest === 'member' ? 'admin' : 'member'
    const path = `/api/auth/organization/list-members?organizationId=${organizationId}&limit=100`
    const { members } = (await this.get(path, this.founder.token)).body
    const { id: memberId } = members.find(({ userId }: { userId: string }) => userId === user.id)
    await memberRole.change(role, () =>
      this.post(this.founder.token, 'organization/update-member-role', { memberId, role, organizationId }),
    )
  }

  private async revoke(watched: Watched): Promise<void> {
    const { token, state } = watched.session
    await state.change('revoked', () =>
      this.random.chance(0.5)
        ? this.post(token, 'sign-out')
        : this.post(watched.user.token, 'revoke-session', { token }),
    )
    watched.session = await newSession(this.service, watched.user)
  }

  /** A ban ends all sessions of the user, so the user gets new ones. */
  private async ban(watched: Watched): Promise<void> {
    const { user, session } = watched
    const post = (path: string) => this.post(this.founder.token, path, { userId: user.id })
    await session.state.change('revoked', () => post('admin/ban-user'))
    await post('admin/unban-user')
    user.token = (await sessionOf(this.service, user)).token
    watched.session = await newSession(this.service, user)
  }

  private async changeSlugUntilDone(): Promise<void> {
    while (this.changesLeft > 0) {
      this.changesLeft -= 1
      this.version += 1
      const { id: organizationId } = this.founder.organization
      const slug = `version-${this.version}`
      this.formerSlug = this.slug.latest
      await this.slug.change(slug, () =>
        this.post(this.founder.token, 'organization/update', { organizationId, data: { slug } }),
      )
    }
  }

  private async post(token: string, path: string, body: unknown = {}): Promise<void> {
    const answer = await this.send((client) => client.post(`/api/auth/${path}`, body, bearer(token)))
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`)
  }

  private async checkSession({ session: { token, state }, name, serviceRole }: Watched): Promise<void> {
    const [states, names, roles] = [state.startReading(), name.startReading(), serviceRole.startReading()]
    const { body } = await this.get('/api/auth/get-session', token)
    this.judge('session', body === null ? 'revoked' : 'live', states())
    if (body === null) return
    this.judge('name', body.user.name, names())
    this.judge('service role', body.user.role, roles())
  }

  private async checkToken({ session: { token, state }, memberRole, name }: Watched): Promise<void> {
    const slug = this.random.pick([this.slug.latest, this.formerSlug])
    const [states, roles, names] = [state.startReading(), memberRole.startReading(), name.startReading()]
    const slugs = this.slug.startReading()
    const { status, body } = await this.get(`/api/token?org=${slug}`, token)
    if (status !== 200) assert.ok(status === 401 || status === 404, JSON.stringify(body))
    this.judge('session for a token', status === 401 ? 'revoked' : 'live', states())
    if (status === 401) return
    if (status === 200) {
      const { org_role: role, name: userName } = decodeJwt(body.token)
      this.judge('short name of the organization', slug, slugs())
      this.judge('role in a token', String(role), roles())
      this.judge('name in a token', String(userName), names())
    } else if (slugs().every((possible) => possible === slug)) {
      this.judge('role in a token', 'none', roles())
    }
  }

  private get(path: string, token: string): Promise<Answer> {
    return this.send((client) => client.get(path, bearer(token)))
  }

  private send(request: (client: Client) => Promise<Answer>): Promise<Answer> {
    return whenServed(() => request(createClient(this.random.pick(this.processes).baseUrl)))
  }

  private judge(what: string, seen: string, possible: string[]): void {
    this.checks += 1
    if (!possible.includes(seen)) this.stale.push({ what, seen, possible })
  }
}
