import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { listViolations } from '../support/invariants.ts'
import { REQUESTS } from '../support/race-requests.ts'
import { createScene } from '../support/race-scene.ts'
import { createRandom } from '../support/random.ts'
import { secondProcess } from '../support/second-process.ts'
import { type Service, startService } from '../support/service.ts'
import { administrator, hashOnce } from '../support/users.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.ROUNDS ?? 10)
const CONCURRENT_REQUESTS = 5
/** PostgreSQL's error code for a deadlock, which the log contains with the 503. */
const DEADLOCK = '40P01'
/** Every statement is delayed at random, so that concurrent requests overlap in a different way each time. */
const DELAY_MILLISECONDS_MAXIMUM = 4
const USERS = ['boss', 'vice', 'pat', 'kim']

describe(`Lock order (SEED=${seed} ROUNDS=${rounds})`, () => {
  const random = createRandom(seed)
  let service: Service
  let passwordHash: string
  let log = ''
  const onLog = (line: string) => {
    log += line
  }
  before(async () => {
    service = await startService({ engine: 'postgres', onLog })
    passwordHash = await hashOnce()
    await administrator(service)
  })
  after(() => service.stop())
  const getSecond = secondProcess(() => service, onLog)

  test('Every request of the race test succeeds alone', async () => {
    for (const [name, request] of Object.entries(REQUESTS)) {
      const { status, body } = await request(await createScene(service, passwordHash, USERS), service)
      assert.ok(status < 400, `${name}: ${status} ${JSON.stringify(body)}`)
    }
  })

  test('Concurrent requests for the same users and organizations cause no deadlock and violate no invariant', async (t) => {
    const services = [service, await getSecond()]
    for (let round = 0; round < rounds; round += 1) {
      const scene = await createScene(service, passwordHash, random.shuffle(USERS))
      const requests = random.shuffle(Object.entries(REQUESTS)).slice(0, CONCURRENT_REQUESTS)
      const restore = delayStatements(t, random)
      const answers = await Promise.all(
        requests.map(([, request], index) => request(scene, services[index % services.length] ?? service)),
      )
      restore()
      const report = requests.map(([name], index) => `${name}: ${answers[index]?.status}`).join('; ')
      // 503 without a deadlock is a lock timeout on a busy machine.
      assert.ok(
        answers.every(({ status }) => status < 500 || status === 503),
        `round ${round}: ${report}`,
      )
      assert.ok(!log.includes(DEADLOCK), `round ${round}: ${report}`)
      assert.deepEqual(await listViolations(service.context.database), [], `round ${round}: ${report}`)
    }
  })
})

function delayStatements({ mock }: TestContext, random: ReturnType<typeof createRandom>): () => void {
  const query = pg.Client.prototype.query as (...input: unknown[]) => unknown
  // A connection sends statements ahead, so each waits for those before it.
  const earlier = new WeakMap<pg.Client, Promise<void>>()
  const delayed = mock.method(pg.Client.prototype, 'query', async function (this: pg.Client, ...input: unknown[]) {
    const delay = random.integer(0, DELAY_MILLISECONDS_MAXIMUM)
    const turn = (earlier.get(this) ?? Promise.resolve()).then(() => pause(delay))
    earlier.set(this, turn)
    await turn
    return query.apply(this, input)
  })
  return () => delayed.mock.restore()
}
