import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { linkNewEvents } from '../../server/core/audit/chain.ts'
import { verifyChain } from '../../server/core/audit/verify-chain.ts'
import { type Context, openContext } from '../../server/core/context.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { createClient } from '../support/client.ts'
import { listInconsistencies } from '../support/inconsistencies.ts'
import { type Actor, act, addSession, createOrganization, invite, Unavailable } from '../support/kill-actions.ts'
import { Account } from '../support/kill-expectations.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { newSecret, printedSetupToken, runAccounts, type ServiceProcess, startProcess } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import { createTestDatabase, type Engine } from '../support/test-database.ts'
import { until } from '../support/until.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.KILL_ROUNDS ?? 10)
/** `npm run test:long` also kills the database server, so it needs its own server that writes to the disk. */
const isLong = rounds > 10
const ACTORS = 4
const ACTIONS_MAXIMUM = 25
/** About the duration of one action. */
const ACTION_MILLISECONDS = 30
const START_MILLISECONDS = 1_000

describe(`Kill loop (SEED=${seed} KILL_ROUNDS=${rounds})`, { concurrency: true }, () => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    const timeout = rounds * 30_000
    test(`A service that is killed again and again keeps every acknowledged change and no partial change (${engine})`, {
      timeout,
    }, async (t) => {
      const postgres = isLong && engine === 'postgres' ? await startPostgres({ durable: true }) : undefined
      t.after(() => postgres?.stop())
      const testDatabase = postgres ? undefined : await createTestDatabase(engine)
      t.after(() => testDatabase?.drop())
      const databaseUrl = testDatabase?.url ?? (await postgres?.createDatabase())?.url ?? ''
      const loop = new KillLoop(engine, databaseUrl)
      t.after(() => loop.end())
      await loop.setUp()
      for (let round = 0; round < rounds; round += 1)
        await loop.round(postgres).catch((cause) => {
          throw new Error(`in round ${round}`, { cause })
        })
      await loop.verify()
      t.diagnostic(`${loop.accounts.length} users, ${loop.acknowledged} acknowledged actions`)
    })
  }
})

class KillLoop {
  accounts: Account[] = []
  acknowledged = 0
  private random: ReturnType<typeof createRandom>
  private environment = {
    SECRET: newSecret(),
    LOG_LEVEL: 'warn',
    ORGANIZATION_INVITATIONS_PER_DAY: '100000',
  }
  private databaseUrl: string
  private service: ServiceProcess | undefined
  private lastNumber = 0

  constructor(engine: Engine, databaseUrl: string) {
    this.random = createRandom(seed + (engine === 'sqlite' ? 0 : 1))
    this.databaseUrl = databaseUrl
  }

  /** Creates the first users, without kills. */
  async setUp(): Promise<void> {
    const service = await this.start()
    const admin = new Account('ada@example.com', 'Ada Admin', 'a fine first password')
    const { email, name, passwords } = admin
    const setup = { name, email, password: passwords.certain, token: printedSetupToken(service) }
    const answer = await createClient(service.baseUrl).post('/api/setup', setup)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    admin.exists.acknowledge(true)
    addSession(admin, answer)
    this.accounts.push(admin)
    const actor = this.actorOf(admin, service)
    const [token = ''] = admin.liveTokens
    await createOrganization(actor, token)
    for (let count = 1; count < ACTORS; count += 1) await invite(actor, token)
  }

  /** Runs actions until it kills the service or the database server, then restarts and verifies the service. */
  async round(postgres: Postgres | undefined): Promise<void> {
    const service = this.service ?? (await this.start())
    const chosen = this.random.shuffle(this.accounts.filter(({ exists }) => exists.certain)).slice(0, ACTORS)
    const acting = chosen.map((account) => act(this.actorOf(account, service)))
    const enough = this.acknowledged + this.random.integer(0, ACTIONS_MAXIMUM)
    // A failed actor ends the wait, and its error is asserted below.
    const failed = Promise.race(acting).catch(() => {})
    await Promise.race([failed, until(() => this.acknowledged >= enough, 'enough actions')])
    await pause(this.random.integer(0, ACTION_MILLISECONDS))
    if (postgres && this.random.chance(0.3)) {
      await postgres.kill()
      await pause(this.random.integer(0, 200))
      service.child.kill('SIGKILL')
      await postgres.restart()
    }
    service.child.kill('SIGKILL')
    await service.ended
    for (const outcome of await Promise.allSettled(acting)) assertKilled(outcome)
    if (this.random.chance(0.1)) await this.killAtStart()
    this.service = await this.start()
    await this.verify(chosen)
  }

  /** Asserts that every acknowledged change is stored. @param acted users with unanswered requests, by default all */
  async verify(acted: Account[] = this.accounts): Promise<void> {
    const config = readConfig({ ...this.environment, DATABASE_URL: this.databaseUrl })
    const { context, close } = openContext(config, { now: Date.now, randomBytes, log: pino({ level: 'silent' }) })
    try {
      assert.deepEqual(await listInconsistencies(context.database), [])
      await linkNewEvents(context)
      const { problem } = await verifyChain(context, undefined, () => {})
      assert.equal(problem, undefined)
      const inDoubt = this.accounts.filter(({ exists }) => exists.certain === undefined)
      for (const account of new Set([...acted, ...inDoubt])) await this.verifyAccount(context, account)
    } finally {
      await close()
    }
  }

  async end(): Promise<void> {
    this.service?.child.kill('SIGKILL')
    await this.service?.ended
  }

  private async verifyAccount({ database }: Context, account: Account): Promise<void> {
    const { email, exists, names, organizations, invitations } = account
    const user = await database.selectFrom('users').select(['id', 'name']).where('email', '=', email).executeTakeFirst()
    exists.observe(user !== undefined, `whether ${email} exists`)
    if (!user) return
    names.observe(user.name, `the name of ${email}`)
    const renames = await database
      .selectFrom('auditEvents')
      .select('id')
      .where('action', '=', 'user.updated')
      .where('subjectId', '=', user.id)
      .execute()
    assert.ok(renames.length >= account.renamesAcknowledged && renames.length <= account.renamesAttempted)
    for (const [slug, organization] of organizations) {
      const row = database.selectFrom('organizations').select('id').where('slug', '=', slug)
      organization.exists.observe((await row.executeTakeFirst()) !== undefined, `whether ${slug} exists`)
    }
    for (const [invited, invitation] of invitations) {
      const row = database.selectFrom('invitations').select('id').where('email', '=', invited)
      invitation.observe((await row.executeTakeFirst()) !== undefined, `whether ${invited} is invited`)
    }
    await this.verifySessions(account)
    await this.verifyPassword(account)
  }

  private async verifySessions({ email, sessions }: Account): Promise<void> {
    const client = createClient(this.service?.baseUrl ?? '')
    for (const [token, live] of sessions) {
      const bearer = { headers: { authorization: `Bearer ${token}` } }
      const { status, body } = await client.get('/api/auth/get-session', bearer)
      assert.equal(status, 200)
      live.observe(body !== null, `whether a session of ${email} is live`)
      if (body === null) sessions.delete(token)
      else assert.equal(body.user.email, email)
    }
  }

  /** Asserts that one of the possible passwords is correct, and stores it as the expected one. */
  private async verifyPassword(account: Account): Promise<void> {
    const client = createClient(this.service?.baseUrl ?? '')
    const { email, passwords } = account
    for (const password of passwords.candidates) {
      const answer = await client.post('/api/auth/sign-in/email', { email, password })
      if (answer.status !== 200) continue
      passwords.observe(password, `the password of ${email}`)
      return addSession(account, answer)
    }
    assert.fail(`no acknowledged password of ${email} is right`)
  }

  private async start(): Promise<ServiceProcess> {
    this.service = await startProcess(this.databaseUrl, this.environment)
    return this.service
  }

  private async killAtStart(): Promise<void> {
    const { child, ended } = runAccounts(['start'], { ...this.environment, DATABASE_URL: this.databaseUrl, PORT: '0' })
    await pause(this.random.integer(50, START_MILLISECONDS))
    child.kill('SIGKILL')
    await ended
  }

  private actorOf(account: Account, { baseUrl }: ServiceProcess): Actor {
    return {
      client: () => createClient(baseUrl),
      account,
      accounts: this.accounts,
      random: this.random,
      unique: () => {
        this.lastNumber += 1
        return inLetters(this.lastNumber)
      },
      onAcknowledged: () => {
        this.acknowledged += 1
      },
    }
  }
}

/** Asserts that a client stopped because its connection broke or the database was unavailable. */
function assertKilled(outcome: PromiseSettledResult<void>): void {
  assert.equal(outcome.status, 'rejected')
  const { reason } = outcome as PromiseRejectedResult
  if (reason instanceof Unavailable) return
  if (reason instanceof assert.AssertionError) throw reason
  assert.match(String(reason?.message), /fetch failed|terminated|other side closed/)
}

/** Writes a number in letters, because a name must not contain a telephone number. */
function inLetters(number: number): string {
  return [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
}
