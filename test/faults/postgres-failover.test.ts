import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { createSharedCounters } from '../../server/core/limits/shared-counters.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { migrate } from '../../server/platform/database/migrate.ts'
import { type OpenDatabase, openDatabase, type ProcessKind } from '../../server/platform/database/open.ts'
import { isUnavailable, ReadOnlyServer } from '../../server/platform/database/unavailable.ts'
import { AnswerLimit } from '../support/answer-limit.ts'
import { createClient } from '../support/client.ts'
import { Crowd } from '../support/crowd.ts'
import { Unavailable } from '../support/kill-actions.ts'
import { type PostgresPair, startPostgresPair } from '../support/postgres-pair.ts'
import { newSecret, printedSetupToken, runAccounts, type ServiceProcess, startProcess } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import { until } from '../support/until.ts'
import { FailoverWatch, type Watched } from '../support/watch-failover.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.FAILOVER_ROUNDS ?? 1)
const ACTORS = 4
const ACTIONS_MAXIMUM = 20
/** A request takes longer than this if the service asks the hosts of the list one after the other. */
const ANSWER_MILLISECONDS = 4_000
/** The connections of one process for changes. */
const CHANGE_CONNECTIONS = 10
/** The limit for a connection to a host that hangs, which only the first request may spend. */
const HANGING_HOST_MILLISECONDS = 500

function isNotUnavailable(error: unknown): false {
  assert.ok(isUnavailable(error), String(error))
  return false
}

describe('Several hosts in DATABASE_URL', () => {
  let pair: PostgresPair
  before(async () => {
    pair = await startPostgresPair()
  })
  after(() => pair?.stop())

  const hosts = () => [pair.primary.port, pair.standby.port]

  function open(url: string, processKind: ProcessKind = 'service'): OpenDatabase {
    const { database: settings } = readConfig({ DATABASE_URL: url, SECRET: newSecret() })
    return openDatabase(settings, () => {}, processKind)
  }

  async function portOf({ database }: OpenDatabase): Promise<number> {
    const { rows } = await sql<{ port: number }>`select inet_server_port() as port`.execute(database)
    return rows[0]?.port ?? 0
  }

  const withPorts = (...ports: number[]) =>
    pair.url('postgres').replace(/@[^/]+/, `@${ports.map((port) => `127.0.0.1:${port}`)}`)

  test('A connection goes to the primary, wherever it is in the list', async () => {
    const [primary = 0, standby = 0] = hosts()
    for (const url of [withPorts(primary, standby), withPorts(standby, primary), withPorts(1, standby, primary)]) {
      const opened = open(url)
      assert.equal(await portOf(opened), primary)
      await opened.close()
    }
  })

  test('A standby alone is refused, except by a command with target_session_attrs=any', async () => {
    const url = withPorts(pair.standby.port)
    const permissiveUrl = url.replace('read-write', 'any')
    for (const refused of [open(url), open(url, 'command'), open(permissiveUrl)]) {
      await assert.rejects(
        portOf(refused),
        (error: Error) => error instanceof ReadOnlyServer && /is read-only/.test(error.message),
      )
      await refused.close()
    }
    const permissive = open(permissiveUrl, 'command')
    assert.equal(await portOf(permissive), pair.standby.port)
    await permissive.close()
  })

  test('A host that hangs delays the first request only, and not beyond its limit', async () => {
    const [primary = 0, standby = 0] = hosts()
    const thaw = await pair.standby.freeze()
    const opened = open(withPorts(standby, primary))
    try {
      const startedAt = performance.now()
      assert.equal(await portOf(opened), primary)
      assert.ok(performance.now() - startedAt < ANSWER_MILLISECONDS)
      const nextAt = performance.now()
      await Promise.all(Array.from({ length: 5 }, () => portOf(opened)))
      assert.ok(
        performance.now() - nextAt < HANGING_HOST_MILLISECONDS,
        'later connections go to the primary immediately',
      )
    } finally {
      thaw()
      await opened.close()
    }
  })

  test('Commands use the primary, and print no password when no host accepts changes', async () => {
    const [primary = 0, standby = 0] = hosts()
    const opened = open(withPorts(standby, primary), 'command')
    assert.equal(await portOf(opened), primary)
    await migrate(opened.database)
    await opened.close()
    const refused = runAccounts(['migrate'], { DATABASE_URL: withPorts(standby, 1), SECRET: newSecret() })
    assert.equal(await refused.ended, 1)
    assert.match(
      refused.output(),
      /No host of DATABASE_URL accepts changes \(127\.0\.0\.1:\d+ is read-only; 127\.0\.0\.1:1: /,
    )
    assert.ok(!refused.output().includes(pair.primary.cluster.password))
  })

  test('A connection to a server that became read-only is replaced', async (t) => {
    const operator = open(pair.primary.url('postgres').concat('?target_session_attrs=any'), 'command')
    t.after(() => operator.close())
    const setReadOnly = async (value: 'on' | 'off') => {
      await sql`alter system set default_transaction_read_only = ${sql.raw(value)}`.execute(operator.database)
      await sql`select pg_reload_conf()`.execute(operator.database)
    }
    const opened = open(withPorts(...hosts()))
    t.after(() => opened.close())
    await migrate(opened.database)
    await opened.testWrite()
    await setReadOnly('on')
    const message = async () => {
      const error = await opened.testWrite().catch((thrown: Error) => thrown)
      if (error) assert.ok(isUnavailable(error))
      return error?.message ?? 'no error'
    }
    await until(async () => /read-only transaction/.test(await message()), 'the connection is read-only')
    assert.match(await message(), /^No host of DATABASE_URL accepts changes/)
    await setReadOnly('off')
    await until(async () => (await message()) === 'no error', 'the primary accepts changes again')
  })

  test('A change that no standby has confirmed is refused, also when the server stops waiting', async (t) => {
    const opened = open(withPorts(...hosts()), 'command')
    t.after(() => opened.close())
    await migrate(opened.database)
    const thaw = await pair.standby.freeze()
    t.after(thaw)
    const change = opened.testWrite()
    const canceled = async () => {
      const { rows } = await sql`select pg_cancel_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event = 'SyncRep' and backend_type = 'client backend'`.execute(
        opened.database,
      )
      return rows.length > 0
    }
    await Promise.all([
      assert.rejects(change, (error: Error) => isUnavailable(error) && /No standby has confirmed/.test(error.message)),
      until(canceled, 'the change waits for the standby'),
    ])
  })

  test('Changes that wait for the standby use the connections of one pool, and reads go on', async (t) => {
    const { url } = await pair.primary.createDatabase()
    const { pathname } = new URL(url)
    const opened = open(pair.url(pathname.slice(1)))
    const operator = open(url, 'command')
    t.after(() => operator.close())
    await sql`create table changes (id serial)`.execute(operator.database)
    const change = () => sql`insert into changes default values`.execute(opened.database)
    await change()
    const thaw = await pair.standby.freeze()
    t.after(thaw)
    // Long lists use all connections that the server would first be asked on, for longer than a request waits.
    let isListing = true
    const lists = Array.from({ length: 20 }, async () => {
      while (isListing) await sql`select pg_sleep(1.3)`.execute(opened.slowReads).catch(isNotUnavailable)
    })
    for (let round = 0; round < 6; round += 1) {
      const changes = await Promise.allSettled(Array.from({ length: 20 }, change))
      assert.ok(changes.every((result) => result.status === 'rejected' && isUnavailable(result.reason)))
      await opened.database.selectNoFrom(sql`1`.as('one')).execute()
    }
    isListing = false
    await Promise.all(lists)
    const { rows: waiting } = await sql`select from pg_stat_activity
      where wait_event = 'SyncRep' and datname = current_database()`.execute(operator.database)
    assert.equal(waiting.length, CHANGE_CONNECTIONS)
    thaw()
    await until(() => change().then(() => true, isNotUnavailable), 'changes are possible again')
    const { rows: stored } = await sql`select from changes`.execute(operator.database)
    assert.equal(stored.length, CHANGE_CONNECTIONS + 2, 'the others were never sent')
    await opened.close()
  })

  test('A process that has given up changes which wait for the standby can end', async (t) => {
    const { url } = await pair.primary.createDatabase()
    const opened = open(pair.url(new URL(url).pathname.slice(1)))
    const change = (name: string) => sql`create table ${sql.table(name)} ()`.execute(opened.database)
    await change('before')
    const thaw = await pair.standby.freeze()
    t.after(thaw)
    await assert.rejects(change('after'), isUnavailable)
    const startedAt = performance.now()
    await opened.close()
    assert.ok(performance.now() - startedAt < ANSWER_MILLISECONDS)
  })

  test('A limit is charged without waiting for the standby, which gets the charge later', async (t) => {
    const { url } = await pair.primary.createDatabase()
    const { pathname } = new URL(url)
    const opened = open(pair.url(pathname.slice(1)))
    t.after(() => opened.close())
    await migrate(opened.database)
    const { limits } = readConfig({ DATABASE_URL: url, SECRET: newSecret() })
    const counters = createSharedCounters(opened.database, Date.now, limits)
    const budget = { key: 'guesses of an account', limit: 3, windowMilliseconds: 300_000 }
    const thaw = await pair.standby.freeze()
    t.after(thaw)
    await counters.charge([{ budget, used: 1, reserved: 0 }])
    thaw()
    const standby = open(pair.standby.url(pathname.slice(1)).concat('?target_session_attrs=any'), 'command')
    t.after(() => standby.close())
    const used = async () => (await createSharedCounters(standby.database, Date.now, limits).find(budget))?.used
    await until(async () => (await used()) === 1, 'the standby has the charge')
  })

  test(`A failover under load loses no acknowledged change, and two processes serve again within 5 s of the promotion (SEED=${seed} FAILOVER_ROUNDS=${rounds})`, {
    timeout: rounds * 120_000,
  }, async (t) => {
    const failover = new Failover(pair)
    t.after(() => failover.end())
    await failover.setUp()
    for (let round = 0; round < rounds; round += 1) {
      await failover.round(t)
      // The next round and the other tests need a primary with a standby.
      await failover.renewStandby()
    }
  })
})

class Failover {
  private pair: PostgresPair
  private random = createRandom(seed)
  private environment = { SECRET: newSecret(), LOG_LEVEL: 'silent', ORGANIZATION_INVITATIONS_PER_DAY: '100000' }
  private processes: ServiceProcess[] = []
  private crowd = new Crowd(this.random, () => createClient(this.random.pick(this.baseUrls)))
  private watched: Watched | undefined
  private limit = new AnswerLimit([])
  private databaseUrl = ''
  private failovers = 0

  constructor(pair: PostgresPair) {
    this.pair = pair
  }

  async setUp(): Promise<void> {
    const { url } = await this.pair.primary.createDatabase()
    this.databaseUrl = this.pair.url(new URL(url).pathname.slice(1))
    this.processes = [await startProcess(this.databaseUrl, this.environment)]
    this.processes.push(await startProcess(this.databaseUrl, this.environment))
    await this.crowd.setUp(printedSetupToken(this.processes[0] as ServiceProcess), ACTORS + 1)
    this.watched = await this.takeUser()
    this.limit = new AnswerLimit(this.baseUrls)
  }

  /** Kills or freezes the primary under load, and promotes the standby after a moment. */
  async round(t: TestContext): Promise<void> {
    const { crowd, random, pair } = this
    const watch = new FailoverWatch(this.baseUrls, this.watched as Watched, this.limit)
    const chosen = crowd.choose(ACTORS)
    let isOver = false
    const acting = Promise.allSettled(chosen.map((account) => crowd.act(account, () => isOver)))
    watch.start()
    const enough = crowd.acknowledged + random.integer(1, ACTIONS_MAXIMUM)
    await until(() => crowd.acknowledged >= enough, 'enough actions')
    const isFrozen = this.failovers > 0 && random.chance(0.5)
    const thaw = isFrozen ? await pair.primary.freeze() : await pair.primary.kill()
    // A stopped server would outlive a test that fails.
    if (thaw) t.after(thaw)
    await pause(random.integer(0, 1_500))
    await pair.promote()
    const milliseconds = await this.limit.recovery(() => watch.isHealthy())
    await watch.stop()
    // The actors end only now: a request may check its password during the failover, and succeed after it.
    isOver = true
    for (const outcome of await acting) assertNoOtherFailure(outcome)
    await crowd.verify({ ...this.environment, DATABASE_URL: this.databaseUrl }, chosen)
    // The frozen server runs again only to be stopped next: the service does not support two primaries at the same
    // time.
    thaw?.()
    this.failovers += 1
    t.diagnostic(
      `${isFrozen ? 'frozen' : 'killed'}, back ${Math.round(milliseconds)} ms after the promotion, slowest answer so far ${Math.round(this.limit.slowestMilliseconds)} ms, ${crowd.acknowledged} acknowledged actions`,
    )
  }

  /** The processes keep running while the primary restarts with a new standby. */
  async renewStandby(): Promise<void> {
    await this.pair.renewStandby()
    const watch = new FailoverWatch(this.baseUrls, this.watched as Watched, this.limit)
    await this.limit.recovery(() => watch.isHealthy())
  }

  async end(): Promise<void> {
    await this.limit.stop()
    for (const { child, ended } of this.processes) {
      child.kill('SIGKILL')
      await ended
    }
  }

  private get baseUrls(): string[] {
    return this.processes.map(({ baseUrl }) => baseUrl)
  }

  /** Takes a user out of the crowd, and signs in twice: one session is revoked. */
  private async takeUser(): Promise<Watched> {
    const { email, passwords } = this.crowd.accounts.pop() ?? assert.fail('the crowd is empty')
    const password = passwords.certain ?? ''
    const client = () => createClient(this.baseUrls[0] ?? '')
    const signIn = async () =>
      (await client().post('/api/auth/sign-in/email', { email, password })).body.token as string
    const [token, revokedToken] = [await signIn(), await signIn()]
    const bearer = { headers: { authorization: `Bearer ${revokedToken}` } }
    assert.equal((await client().post('/api/auth/sign-out', {}, bearer)).status, 200)
    return { email, password, token, revokedToken }
  }
}

/** During a failover the processes live, so a client never sees a broken connection. */
function assertNoOtherFailure(outcome: PromiseSettledResult<void>): void {
  if (outcome.status === 'rejected' && !(outcome.reason instanceof Unavailable)) throw outcome.reason
}
