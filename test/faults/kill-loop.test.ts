import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../support/client.ts'
import { Crowd } from '../support/crowd.ts'
import { Unavailable } from '../support/kill-actions.ts'
import type { Account } from '../support/kill-expectations.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { newSecret, printedSetupToken, runAccounts, type ServiceProcess, startProcess } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import type { Engine } from '../support/test-database.ts'
import { until } from '../support/until.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.KILL_ROUNDS ?? 2)
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
      const testDatabase = postgres ? undefined : await createMigratedDatabase(engine)
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
      t.diagnostic(`${loop.crowd.accounts.length} users, ${loop.crowd.acknowledged} acknowledged actions`)
    })
  }
})

class KillLoop {
  crowd: Crowd
  private random: ReturnType<typeof createRandom>
  private environment = {
    SECRET: newSecret(),
    LOG_LEVEL: 'warn',
    ORGANIZATION_INVITATIONS_PER_DAY: '100000',
  }
  private databaseUrl: string
  private service: ServiceProcess | undefined

  constructor(engine: Engine, databaseUrl: string) {
    this.random = createRandom(seed + (engine === 'sqlite' ? 0 : 1))
    this.crowd = new Crowd(this.random, () => createClient(this.service?.baseUrl ?? ''))
    this.databaseUrl = databaseUrl
  }

  /** Creates the first users, without kills. */
  async setUp(): Promise<void> {
    await this.crowd.setUp(printedSetupToken(await this.start()), ACTORS)
  }

  /** Runs actions until it kills the service or the database server, then restarts and verifies the service. */
  async round(postgres: Postgres | undefined): Promise<void> {
    const { crowd, random } = this
    const service = this.service ?? (await this.start())
    const chosen = crowd.choose(ACTORS)
    const acting = chosen.map((account) => crowd.act(account))
    const enough = crowd.acknowledged + random.integer(0, ACTIONS_MAXIMUM)
    // A failed actor ends the wait, and its error is asserted below.
    const failed = Promise.race(acting).catch(() => {})
    await Promise.race([failed, until(() => crowd.acknowledged >= enough, 'enough actions')])
    await pause(random.integer(0, ACTION_MILLISECONDS))
    if (postgres && random.chance(0.3)) {
      await postgres.kill()
      await pause(random.integer(0, 200))
      service.child.kill('SIGKILL')
      await postgres.restart()
    }
    service.child.kill('SIGKILL')
    await service.ended
    for (const outcome of await Promise.allSettled(acting)) assertKilled(outcome)
    if (random.chance(0.1)) await this.killAtStart()
    this.service = await this.start()
    await this.verify(chosen)
  }

  /** Asserts that every acknowledged change is stored. @param acted users with unanswered requests, by default all */
  verify(acted: Account[] = this.crowd.accounts): Promise<void> {
    return this.crowd.verify({ ...this.environment, DATABASE_URL: this.databaseUrl }, acted)
  }

  async end(): Promise<void> {
    this.service?.child.kill('SIGKILL')
    await this.service?.ended
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
}

/** Asserts that a client stopped because its connection broke or the database was unavailable. */
function assertKilled(outcome: PromiseSettledResult<void>): void {
  assert.equal(outcome.status, 'rejected')
  const { reason } = outcome as PromiseRejectedResult
  if (reason instanceof Unavailable) return
  if (reason instanceof assert.AssertionError) throw reason
  assert.match(String(reason?.message), /fetch failed|terminated|other side closed/)
}
