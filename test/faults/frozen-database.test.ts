import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accessRuleOf } from '../../server/core/access/access-rules.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { AnswerLimit } from '../support/answer-limit.ts'
import { type Answer, createClient } from '../support/client.ts'
import { holdTransaction } from '../support/hold-transaction.ts'
import { createTestApp, signInTo, type TestApp } from '../support/openid.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { newSecret, startProcess } from '../support/process.ts'
import { askToken } from '../support/protocol.ts'
import { type Service, startService } from '../support/service.ts'
import { askUserinfo, exchange, introspect, refresh, revoke } from '../support/token-requests.ts'
import { until } from '../support/until.ts'
import { administratorWithOrganization, PASSWORD, type TestMember } from '../support/users.ts'

/** Few enough that the test itself, which runs in the process of the service, delays no answer on a slow machine. */
const CONCURRENT_ROUTES = 20
/** More than the limit for the concurrent guesses of one password, so that some wait for others. */
const SIGN_INS = 30

describe('Every kind of authentication while PostgreSQL hangs', () => {
  let postgres: Postgres
  let service: Service
  let ada: TestMember
  let key: string
  let app: TestApp
  let tokens: { access_token: string; refresh_token?: string }
  let limit: AnswerLimit

  before(async () => {
    postgres = await startPostgres()
    const { url } = await postgres.createDatabase()
    const config = readConfig({ DATABASE_URL: url, SECRET: newSecret() })
    service = await startService({ engine: 'postgres', beside: { config } })
    ada = await administratorWithOrganization(service)
    const created = await ada.client.post('/api/auth/api-key/create', { name: 'key' })
    key = created.body.key
    app = await createTestApp(service)
    tokens = await signInTo(ada, app)
    for (const [name, call] of Object.entries(CALLS)) await until(async () => (await call()).status === 200, name)
    limit = new AnswerLimit([service.baseUrl])
  })
  after(async () => {
    await limit?.stop()
    await service?.stop()
    await postgres?.stop()
  })

  const path = (url: string) => url.replace(/:[a-z]+/g, 'placeholder')
  const signIn = () => service.client().post('/api/auth/sign-in/email', { email: ada.email, password: PASSWORD })

  /** A request of each kind of authentication, with valid credentials. */
  const CALLS: Record<string, () => Promise<Answer>> = {
    'session cookie': () => ada.client.get('/api/auth/get-session'),
    'bearer token': () =>
      service.client().get('/api/auth/list-sessions', { headers: { authorization: `Bearer ${ada.token}` } }),
    password: signIn,
    'api key': () => service.client().post('/api/auth/api-key/verify', { key }),
    'signed token': () => ada.client.get(`/api/token?org=${ada.organization.slug}`),
    userinfo: () => askUserinfo(service, tokens.access_token),
    introspection: () => introspect(service, app, tokens.access_token),
    'client credentials': () => askToken(service, app, { grant_type: 'client_credentials' }),
    exchange: () => exchange(service, app, tokens.access_token),
    staff: () => ada.client.get('/api/auth/admin/list-users'),
    readiness: () => service.client().get('/readyz'),
  }

  /** Stops the server by SIGSTOP during an action, and asserts the recovery after SIGCONT. */
  async function whileStopped(act: () => Promise<unknown>): Promise<void> {
    const thaw = await postgres.freeze()
    await act().finally(thaw)
    await limit.recovery(async () => {
      const answers = await Promise.all(Object.values(CALLS).map((call) => call()))
      return answers.every(({ status }) => status === 200)
    })
  }

  test('While counters are locked, sign-ins of one user return 503 within 2 s, also those that wait for others', async (t) => {
    const { database } = service.config
    const unlock = await holdTransaction(t, 'url' in database ? database.url : '', 'lock table "rateLimits"')
    const answers = await Promise.all(Array.from({ length: SIGN_INS }, () => limit.inTime('sign-in', signIn)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]))
    await unlock()
    await limit.recovery(async () => (await signIn()).status === 200)
  })

  test('Each kind of authentication returns 503 within 2 s after SIGSTOP, and succeeds within 5 s after SIGCONT', async () => {
    const revokedApp = await createTestApp(service)
    const revoked = await signInTo(ada, revokedApp)
    const callsOnce: typeof CALLS = {
      refresh: () => refresh(service, revokedApp, revoked.refresh_token ?? ''),
      revocation: () => revoke(service, revokedApp, revoked.access_token),
    }
    await whileStopped(async () => {
      const answers = Object.entries({ ...CALLS, ...callsOnce }).map(async ([name, call]) => [
        name,
        (await limit.inTime(name, call)).status,
      ])
      for (const [name, status] of await Promise.all(answers)) assert.equal(status, 503, String(name))
    })
    // Each of these succeeds once, so it can't be repeated until the recovery.
    for (const [name, call] of Object.entries(callsOnce)) assert.equal((await call()).status, 200, name)
  })

  test('While the server is stopped, every route that requires a session returns 503 within 2 s, and without a session 401 or 503', async () => {
    const routes = service.routes.filter(({ method, access }) => {
      return method !== 'HEAD' && accessRuleOf(access).session === 'required'
    })
    assert.ok(routes.length > 100, String(routes.length))
    const refuse = async ({ method, url }: (typeof routes)[number]) => {
      const send = ({ client }: Pick<TestMember, 'client'>) =>
        limit.inTime(`${method} ${url}`, () =>
          method === 'GET' ? client.get(path(url)) : client.post(path(url), { nonsense: true }),
        )
      const [authenticated, anonymous] = await Promise.all([send(ada), send({ client: service.client() })])
      assert.equal(authenticated.status, 503, `${method} ${url}`)
      assert.ok([401, 503].includes(anonymous.status), `${method} ${url}: ${anonymous.status}`)
    }
    await whileStopped(() => inGroups(routes, refuse))
  })

  test('While the server is stopped, every other route returns within 2 s', async () => {
    const routes = service.routes.filter(({ method, access }) => {
      return method !== 'HEAD' && accessRuleOf(access).session !== 'required'
    })
    const ask = ({ method, url }: (typeof routes)[number]) =>
      limit.inTime(`${method} ${url}`, () =>
        method === 'GET' ? ada.client.get(path(url)) : ada.client.post(path(url), { nonsense: true }),
      )
    await whileStopped(() => inGroups(routes, ask))
  })
})

test('A process ends after SIGTERM while PostgreSQL hangs', { timeout: 60_000 }, async (t) => {
  const postgres = await startPostgres()
  t.after(() => postgres.stop())
  const { url } = await postgres.createDatabase()
  const service = await startProcess(url, { SECRET: newSecret() })
  t.after(() => service.child.kill('SIGKILL'))
  const guess = { email: 'unknown@example.com', password: 'a wrong password' }
  const client = createClient(service.baseUrl)
  // Several connections are open, and idle.
  await Promise.all(Array.from({ length: 10 }, () => client.post('/api/auth/sign-in/email', guess)))
  const thaw = await postgres.freeze()
  t.after(thaw)
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
})

async function inGroups<Route>(routes: Route[], ask: (route: Route) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < routes.length; start += CONCURRENT_ROUTES)
    await Promise.all(routes.slice(start, start + CONCURRENT_ROUTES).map(ask))
}
