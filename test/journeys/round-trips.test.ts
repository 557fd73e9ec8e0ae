import assert from 'node:assert/strict'
import { after, before, describe, mock, test } from 'node:test'
import pg from 'pg'
import type { ClientMetadata } from '../../server/core/oauth-clients/metadata.ts'
import { hashToken } from '../../server/platform/crypto/tokens.ts'
import type { Answer } from '../support/client.ts'
import { insertTestClient } from '../support/oauth-clients.ts'
import { basic, postForm } from '../support/protocol.ts'
import { type Service, startService } from '../support/service.ts'
import { administratorWithOrganization, invite, member, PASSWORD, signUp, type TestMember } from '../support/users.ts'

/** The measured rounds. The first request after a change may read more. */
const ROUNDS = 3

/**
 * A round trip begins with a statement on a connection without an open statement. Statements that follow before the
 * answer share the round trip. The statements include begin and commit. A commit that changes a number corrects it
 * here.
 */
const COSTS = {
  'get-session of a new session': { roundTrips: 1, statements: 1 },
  'get-session of a cached session': { roundTrips: 1, statements: 1 },
  'token of a new session': { roundTrips: 3, statements: 3 },
  'token of a cached session': { roundTrips: 1, statements: 1 },
  'sign-in/email': { roundTrips: 6, statements: 9 },
  'sign-in/email with a wrong password': { roundTrips: 4, statements: 4 },
  'sign-in/email on a new device': { roundTrips: 8, statements: 13 },
  'sign-out': { roundTrips: 9, statements: 10 },
  'organization/set-active': { roundTrips: 9, statements: 11 },
  'list-sessions': { roundTrips: 2, statements: 2 },
  'organization/list': { roundTrips: 2, statements: 2 },
  'token of an API key': { roundTrips: 2, statements: 2 },
  'OpenID Connect token of a machine': { roundTrips: 2, statements: 2 },
  'sign-up/email with an invitation': { roundTrips: 10, statements: 16 },
  'organization/accept-invitation': { roundTrips: 14, statements: 19 },
}

const PREPARATIONS = ['pg_backend_pid', 'session characteristics']

type Route = keyof typeof COSTS

describe('Round trips to PostgreSQL', () => {
  let service: Service
  let founder: TestMember
  /** The statements of each round trip. */
  let roundTrips: string[][] = []

  before(async () => {
    service = await startService({ engine: 'postgres' })
    founder = await administratorWithOrganization(service)
    // The first reading of the committed changes clears the caches, and the first token loads the signing key.
    for (let round = 0; round < ROUNDS; round += 1)
      await founder.client.get(`/api/token?org=${founder.organization.slug}`)
    const query = pg.Client.prototype.query as (...given: unknown[]) => Promise<unknown>
    const trips = new WeakMap<pg.Client, { statements: string[]; unanswered: number }>()
    mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...given: unknown[]) {
      const [statement] = given as [string | { text: string }]
      const text = typeof statement === 'string' ? statement : statement.text
      const answer = query.apply(this, given)
      // The preparation of a new connection is not a cost of the request.
      if (PREPARATIONS.some((preparation) => text.includes(preparation))) return answer
      let trip = trips.get(this)
      if (!trip?.unanswered) {
        trip = { statements: [], unanswered: 0 }
        trips.set(this, trip)
        roundTrips.push(trip.statements)
      }
      trip.statements.push(text)
      trip.unanswered += 1
      const end = () => {
        trip.unanswered -= 1
      }
      answer.then(end, end)
      return answer
    })
  })
  after(async () => {
    mock.restoreAll()
    await service.stop()
  })

  async function assertRoundTrips(route: Route, request: () => Promise<Answer>, status = 200): Promise<void> {
    // Refused requests are recorded later, which is not part of the next request.
    await service.context.repeatedEvents.save()
    roundTrips = []
    const answer = await request()
    const made = roundTrips
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    const described = made.map((statements, index) => `${index + 1}. ${statements.join('\n   ')}`)
    const cost = { roundTrips: made.length, statements: made.flat().length }
    assert.deepEqual(cost, COSTS[route], `${route}:\n${described.join('\n')}`)
  }

  /** Prepares and makes one request. */
  const requests: Record<Route, () => Promise<void>> = {
    async 'get-session of a new session'() {
      const { client } = await member(service, founder)
      await assertRoundTrips('get-session of a new session', () => client.get('/api/auth/get-session'))
    },
    async 'get-session of a cached session'() {
      const { client } = await member(service, founder)
      await client.get('/api/auth/get-session')
      await assertRoundTrips('get-session of a cached session', () => client.get('/api/auth/get-session'))
    },
    async 'token of a new session'() {
      const { client, organization } = await member(service, founder)
      await assertRoundTrips('token of a new session', () => client.get(`/api/token?org=${organization.slug}`))
    },
    async 'token of a cached session'() {
      const { client, organization } = await member(service, founder)
      await client.get(`/api/token?org=${organization.slug}`)
      await assertRoundTrips('token of a cached session', () => client.get(`/api/token?org=${organization.slug}`))
    },
    async 'sign-in/email'() {
      const { client, email } = await member(service, founder)
      await client.post('/api/auth/sign-out')
      await assertRoundTrips('sign-in/email', () =>
        client.post('/api/auth/sign-in/email', { email, password: PASSWORD }),
      )
    },
    async 'sign-in/email with a wrong password'() {
      const { client, email } = await member(service, founder)
      await client.post('/api/auth/sign-out')
      const signIn = () => client.post('/api/auth/sign-in/email', { email, password: 'not the password' })
      await assertRoundTrips('sign-in/email with a wrong password', signIn, 401)
    },
    async 'sign-in/email on a new device'() {
      const { email } = await member(service, founder)
      const signIn = () => service.client().post('/api/auth/sign-in/email', { email, password: PASSWORD })
      await assertRoundTrips('sign-in/email on a new device', signIn)
    },
    async 'sign-out'() {
      const { client } = await member(service, founder)
      await client.get('/api/auth/get-session')
      await assertRoundTrips('sign-out', () => client.post('/api/auth/sign-out'))
    },
    async 'organization/set-active'() {
      const { client, organization } = await member(service, founder)
      await client.get('/api/auth/get-session')
      const setActive = () => client.post('/api/auth/organization/set-active', { organizationId: organization.id })
      await assertRoundTrips('organization/set-active', setActive)
    },
    async 'list-sessions'() {
      const { client } = await member(service, founder)
      await client.get('/api/auth/get-session')
      await assertRoundTrips('list-sessions', () => client.get('/api/auth/list-sessions'))
    },
    async 'organization/list'() {
      const { client } = await member(service, founder)
      await client.get('/api/auth/get-session')
      await assertRoundTrips('organization/list', () => client.get('/api/auth/organization/list'))
    },
    async 'token of an API key'() {
      const { body } = await founder.client.post('/api/auth/api-key/create', { name: 'Export' })
      const mint = () =>
        service.client().get(`/api/token?org=${founder.organization.slug}`, { headers: { 'x-api-key': body.key } })
      await mint()
      await assertRoundTrips('token of an API key', mint)
    },
    async 'OpenID Connect token of a machine'() {
      const secret = 'secret of the machine'
      const metadata: Partial<ClientMetadata> = {
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
        scope: 'openid',
        token_endpoint_auth_method: 'client_secret_basic',
      }
      const { id } = await insertTestClient(service, metadata, { secretHash: hashToken(secret) })
      const form = { grant_type: 'client_credentials' }
      const mint = () => postForm(service, '/api/auth/oauth2/token', form, basic({ id, secret }))
      await mint()
      await assertRoundTrips('OpenID Connect token of a machine', mint)
    },
    async 'sign-up/email with an invitation'() {
      const { email, linkPath } = await invite(service, founder)
      const client = service.client()
      await client.get(linkPath)
      const signUpInvited = () =>
        client.post('/api/auth/sign-up/email', { name: 'Hilda Hire', email, password: PASSWORD })
      await assertRoundTrips('sign-up/email with an invitation', signUpInvited)
    },
    async 'organization/accept-invitation'() {
      const invited = await invite(service, founder)
      const { client } = await signUp(service, invited)
      await client.get('/api/auth/get-session')
      const accept = () =>
        client.post('/api/auth/organization/accept-invitation', { invitationId: invited.invitationId })
      await assertRoundTrips('organization/accept-invitation', accept)
    },
  }

  for (const [route, request] of Object.entries(requests)) {
    const { roundTrips, statements } = COSTS[route as Route]
    test(`${route} makes ${roundTrips} round trips with ${statements} statements`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) await request()
    })
  }
})
