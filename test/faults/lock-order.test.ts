import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { besideService } from '../support/beside.ts'
import { newCast } from '../support/race-cast.ts'
import { DEEDS } from '../support/race-deeds.ts'
import { brokenRules } from '../support/race-rules.ts'
import { createRandom } from '../support/random.ts'
import { type Service, startService } from '../support/service.ts'
import { administrator, PASSWORD } from '../support/users.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const rounds = Number(process.env.ROUNDS ?? 100)
const DEEDS_AT_ONCE = 5
/** PostgreSQL's code for a transaction that it broke off; the log has it with every 503. */
const DEADLOCK = '40P01'
/** Every statement is as late as it likes, so that what is done at once overlaps, each time in another way. */
const LATENESS_MILLISECONDS = 4
const FIGURES = ['boss', 'vice', 'pat', 'kim']

describe(`What is done at once to the same people and organizations (SEED=${seed} ROUNDS=${rounds})`, () => {
  const random = createRandom(seed)
  let service: Service
  let passwordHash: string
  let log = ''
  const onLog = (line: string) => {
    log += line
  }
  before(async () => {
    service = await startService({ engine: 'postgres', onLog })
    passwordHash = await service.context.passwords.hash(PASSWORD)
    await administrator(service)
  })
  after(() => service.stop())
  const beside = besideService(() => service, onLog)

  test('is done where it is done alone', async () => {
    for (const [name, deed] of Object.entries(DEEDS)) {
      const { status, body } = await deed(await newCast(service, passwordHash, FIGURES), service)
      assert.ok(status < 400, `${name}: ${status} ${JSON.stringify(body)}`)
    }
  })

  test('is done or refused, in one order: PostgreSQL has no deadlock to break', async (t) => {
    const services = [service, await beside()]
    for (let round = 0; round < rounds; round += 1) {
      const cast = await newCast(service, passwordHash, random.shuffle(FIGURES))
      const deeds = random.shuffle(Object.entries(DEEDS)).slice(0, DEEDS_AT_ONCE)
      const restore = makeLate(t, random)
      const answers = await Promise.all(
        deeds.map(([, deed], index) => deed(cast, services[index % services.length] ?? service)),
      )
      restore()
      const told = deeds.map(([name], index) => `${name}: ${answers[index]?.status}`).join('; ')
      // On a busy machine a lock is not there within its limit; that is 503 as well, and no deadlock.
      assert.ok(
        answers.every(({ status }) => status < 500 || status === 503),
        `round ${round}: ${told}`,
      )
      assert.ok(!log.includes(DEADLOCK), `round ${round}: ${told}`)
      assert.deepEqual(await brokenRules(service.context.database), [], `round ${round}: ${told}`)
    }
  })
})

function makeLate({ mock }: TestContext, random: ReturnType<typeof createRandom>): () => void {
  const query = pg.Client.prototype.query as (...input: unknown[]) => unknown
  const late = mock.method(pg.Client.prototype, 'query', async function (this: pg.Client, ...input: unknown[]) {
    await pause(random.integer(0, LATENESS_MILLISECONDS))
    return query.apply(this, input)
  })
  return () => late.mock.restore()
}
