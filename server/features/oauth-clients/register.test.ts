import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConcurrentStep, concurrently } from '../../../test/support/concurrently.ts'
import { insertTestClient, insertTestConsent } from '../../../test/support/oauth-clients.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administrator, administratorWithOrganization } from '../../../test/support/users.ts'
import { insertOAuthClient } from '../../core/oauth-clients/store.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'
import { lockForTransaction } from '../../platform/database/advisory-lock.ts'
import type { OAuthClientRow } from '../../platform/database/tables.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const PATH = '/api/auth/oauth2/register'
const APP = { client_name: 'Assistant', redirect_uris: ['https://assistant.example.com/callback'] }

onEachDatabase('oauth2/register', (service) => {
  const switchOn = (t: { after: (restore: () => void) => void }) => {
    service().config.allowClientRegistration = true
    t.after(() => {
      service().config.allowClientRegistration = false
    })
  }

  async function insertCopies(id: string, count: number) {
    const { database } = service().context
    const row = await database.selectFrom('oauthClients').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const rows = Array.from({ length: count }, (_, index) => ({ ...row, id: `cli_copy_${index}` }))
    await database.insertInto('oauthClients').values(rows).execute()
    return row
  }

  test('oauth2/register is off by default and says so in both forms', async () => {
    const { status, body } = await service().client().post(PATH, APP)
    assert.deepEqual([status, body.code, body.error], [403, 'CLIENT_REGISTRATION_DISABLED', 'access_denied'])
    assert.equal(body.error_description, body.message)
  })

  test('oauth2/register creates public and confidential clients of the service that ask for consent', async (t) => {
    switchOn(t)
    const unknown = { software_statement: 'x', ownedBy: 'x', organizationId: 'x', reference_id: 'x', disabled: true }
    const { status, body } = await service()
      .client()
      .post(PATH, { ...APP, ...unknown })
    assert.equal(status, 201)
    assert.deepEqual(
      [body.skip_consent, body.disabled, body.reference_id, body.user_id, body.token_endpoint_auth_method],
      [false, false, undefined, undefined, 'client_secret_basic'],
    )
    const { database } = service().context
    const found = database.selectFrom('oauthClients').selectAll().where('id', '=', body.client_id)
    const row = await found.executeTakeFirst()
    assert.deepEqual(
      [row?.organizationId, row?.createdBy, row?.secretHash],
      [null, null, hashToken(body.client_secret)],
    )
    const open = await service()
      .client()
      .post(PATH, { ...APP, token_endpoint_auth_method: 'none' })
    assert.deepEqual([open.status, open.body.client_secret], [201, undefined])
  })

  test('oauth2/register refuses metadata of more than 8 KiB, so that a list of all apps stays small', async (t) => {
    switchOn(t)
    const uri = (path: string) => `https://assistant.example.com/${path}`
    const register = (count: number) =>
      service()
        .client()
        .post(PATH, { ...APP, redirect_uris: Array.from({ length: count }, (_, index) => uri(`${index}`.repeat(900))) })
    assert.equal((await register(5)).status, 201)
    const { status, body } = await register(9)
    assert.deepEqual([status, body.code, body.error], [400, 'INVALID_CLIENT_METADATA', 'invalid_client_metadata'])
    assert.match(body.message, /8 KiB/)
  })

  test('oauth2/register stores no contacts, and its response shows none', async (t) => {
    switchOn(t)
    const { status, body } = await service()
      .client()
      .post(PATH, { ...APP, contacts: ['ada@example.com'] })
    assert.deepEqual([status, body.contacts], [201, undefined])
    const clients = service().context.database.selectFrom('oauthClients').where('id', '=', body.client_id)
    const { metadata } = await clients.select('metadata').executeTakeFirstOrThrow()
    assert.doesNotMatch(metadata, /ada@example/)
  })

  test('oauth2/register ignores fields that have the names of methods of objects', async (t) => {
    switchOn(t)
    const methods = { constructor: 'x', hasOwnProperty: 'x', toString: { x: 1 }, valueOf: ['x'] }
    const { status, body } = await service()
      .client()
      .post(PATH, { ...APP, ...methods })
    assert.equal(status, 201)
    const clients = service().context.database.selectFrom('oauthClients').where('id', '=', body.client_id)
    const { metadata } = await clients.select('metadata').executeTakeFirstOrThrow()
    const stored = Object.keys(JSON.parse(metadata))
    assert.deepEqual(
      Object.keys(methods).filter((name) => stored.includes(name)),
      [],
    )
  })

  test('A client that registered itself always asks for consent, and an administrator can change the rest', async (t) => {
    switchOn(t)
    const { client_id } = (await service().client().post(PATH, APP)).body
    const { client } = await administrator(service())
    const change = (update: object) => client.post('/api/auth/oauth2/update-client', { client_id, update })
    const refused = await change({ skip_consent: true, client_name: 'Trusted' })
    assert.deepEqual([refused.status, refused.body.code], [400, 'FIELD_NOT_ALLOWED'])
    assert.equal(refused.body.field, 'update.skip_consent')
    const { status, body } = await change({ skip_consent: false, client_uri: 'https://assistant.example.com/' })
    assert.deepEqual([status, body.client_name, body.skip_consent], [200, 'Assistant', false])
  })

  test('A client that registered itself gets no grant type without a user, not even from an administrator', async (t) => {
    switchOn(t)
    const { client_id } = (await service().client().post(PATH, APP)).body
    const { client } = await administrator(service())
    for (const type of ['client_credentials', 'urn:ietf:params:oauth:grant-type:token-exchange']) {
      const update = { grant_types: ['authorization_code', type] }
      const { status, body } = await client.post('/api/auth/oauth2/update-client', { client_id, update })
      assert.deepEqual([status, body.code, body.field], [400, 'INVALID_CLIENT_METADATA', 'update.grant_types'])
    }
    const { body } = await client.get(`/api/auth/oauth2/get-client?client_id=${client_id}`)
    assert.deepEqual(body.grant_types, ['authorization_code'])
  })

  test('oauth2/register makes an app native when a redirect URI is on the machine of its user, whatever type it names', async (t) => {
    switchOn(t)
    const [https] = APP.redirect_uris
    for (const [redirect_uris, expected] of [
      [['http://localhost:6274/oauth/callback'], 'native'],
      [[https, 'http://127.0.0.1:33418/'], 'native'],
      [['com.example.assistant:/callback'], 'native'],
      [[https], 'web'],
    ] as const) {
      for (const named of [{}, { application_type: null }, { application_type: 'web' }]) {
        const { status, body } = await service()
          .client()
          .post(PATH, { ...APP, ...named, redirect_uris })
        assert.deepEqual([status, body.application_type], [201, expected], JSON.stringify(body))
      }
    }
  })

  test('oauth2/register answers bad metadata with the codes of RFC 7591', async (t) => {
    switchOn(t)
    for (const [metadata, code, error] of [
      [{ redirect_uris: ['http://app.example.com/'] }, 'INVALID_REDIRECT_URI', 'invalid_redirect_uri'],
      [{ redirect_uris: ['javascript:alert(1)'] }, 'INVALID_REDIRECT_URI', 'invalid_redirect_uri'],
      [{ redirect_uris: [] }, 'INVALID_REDIRECT_URI', 'invalid_redirect_uri'],
      [{ redirect_uris: [''] }, 'VALIDATION_ERROR', 'invalid_redirect_uri'],
      [{ redirect_uris: ['https://app.example.com/a b'] }, 'VALIDATION_ERROR', 'invalid_redirect_uri'],
      [{ redirect_uris: ['https://app.example.com/ü'] }, 'VALIDATION_ERROR', 'invalid_redirect_uri'],
      [{ redirect_uris: 'https://app.example.com/' }, 'VALIDATION_ERROR', 'invalid_redirect_uri'],
      [{ ...APP, post_logout_redirect_uris: ['http://app'] }, 'INVALID_REDIRECT_URI', 'invalid_redirect_uri'],
      [{ ...APP, scope: 'admin' }, 'INVALID_CLIENT_METADATA', 'invalid_client_metadata'],
      [{ grant_types: ['client_credentials'] }, 'INVALID_CLIENT_METADATA', 'invalid_client_metadata'],
      [{ ...APP, grant_types: ['password'] }, 'VALIDATION_ERROR', 'invalid_client_metadata'],
      [{ ...APP, skip_consent: true }, 'VALIDATION_ERROR', 'invalid_client_metadata'],
      [{ ...APP, logo_uri: 'javascript:alert(1)' }, 'VALIDATION_ERROR', 'invalid_client_metadata'],
    ] as const) {
      const { status, body } = await service().client().post(PATH, metadata)
      assert.deepEqual([status, body.code, body.error], [400, code, error], JSON.stringify(body))
    }
  })

  test('oauth2/register refuses a network that has registered 20 clients in an hour, and counts no bad metadata', async (t) => {
    switchOn(t)
    const client = service().client()
    const register = async (metadata: object) => (await client.post(PATH, metadata)).status
    for (let count = 0; count < 20; count += 1) assert.equal(await register({ redirect_uris: [] }), 400)
    for (let count = 0; count < 20; count += 1) assert.equal(await register(APP), 201)
    const { status, body, headers } = await client.post(PATH, APP)
    assert.deepEqual([status, body.code, body.error], [429, 'TOO_MANY_REQUESTS', 'temporarily_unavailable'])
    assert.ok(Number(headers.get('retry-after')) > 3_000)
    assert.equal((await service().client().post(PATH, APP)).status, 201)
    const user = await administrator(service())
    assert.equal((await user.client.post(PATH, APP, { headers: { 'x-forwarded-for': client.address } })).status, 429)
    const { body: listed } = await user.client.get('/api/auth/admin/list-throttles')
    const found = listed.throttles.find(({ subject }: { subject: string }) => subject === client.address)
    assert.deepEqual([found?.kind, found?.holder, found?.limit], ['registration', 'network', 20])
    service().advance(3_600_000)
    assert.equal(await register(APP), 201)
  })

  test('oauth2/register stops at 1,000 clients without a creator, also when the last one is concurrent', async (t) => {
    switchOn(t)
    const { body } = await service().client().post(PATH, APP)
    const { database } = service().context
    const { count } = await database
      .selectFrom('oauthClients')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('createdBy', 'is', null)
      .executeTakeFirstOrThrow()
    const row = await insertCopies(body.client_id, 998 - count)
    const { id: createdBy } = await administrator(service())
    // Clients that staff have created do not count.
    const ofStaff = [1, 2].map((index) => ({ ...row, id: `cli_copy_of_staff_${index}`, createdBy }))
    await database.insertInto('oauthClients').values(ofStaff).execute()
    assert.equal((await service().client().post(PATH, APP)).status, 201)
    const other: ConcurrentStep = {
      begin: async (transaction) => {
        await lockForTransaction(transaction, 'client registration')
        await insertOAuthClient(transaction, { ...row, id: 'cli_copy_last' })
      },
    }
    const refused = await concurrently(service(), other, () => service().client().post(PATH, APP))
    assert.deepEqual([refused.status, refused.body.code], [403, 'OAUTH_CLIENT_LIMIT_REACHED'])
    assert.equal(refused.body.error, 'access_denied')
    await database.deleteFrom('oauthClients').where('id', 'like', 'cli_copy%').execute()
  })

  test('oauth2/register at the maximum replaces the oldest client that no user allows and that is a day old', async (t) => {
    switchOn(t)
    const { database, now } = service().context
    await database.deleteFrom('oauthClients').execute()
    const register = async () => (await service().client().post(PATH, APP)).body
    const { id: userId, organization } = await administratorWithOrganization(service())
    const add = async (updatedAt: number, columns: Partial<OAuthClientRow> = {}) =>
      (await insertTestClient(service(), {}, { createdAt: 0, updatedAt, ...columns })).id
    const dayAgo = now() - DAY
    const kept = [
      (await insertTestConsent(service(), userId, { columns: { updatedAt: 0 } })).client.id,
      await add(0, { skipConsent: 1 }),
      await add(0, { createdBy: userId }),
      await add(0, { organizationId: organization.id }),
    ]
    const young = await add(now())
    const [third, second] = [await add(dayAgo + MINUTE), await add(dayAgo)]
    await insertCopies(young, 994)
    const first = await add(dayAgo - 1)

    assert.equal((await register()).client_name, APP.client_name)
    assert.deepEqual(await listDeleted(), [first])
    await register()
    assert.deepEqual(await listDeleted(), [first, second])
    assert.equal((await register()).code, 'OAUTH_CLIENT_LIMIT_REACHED', 'the next one is too new')
    service().advance(MINUTE)
    await register()
    assert.deepEqual(await listDeleted(), [first, second, third])
    const found = await database.selectFrom('oauthClients').select('id').where('id', 'in', kept).execute()
    assert.equal(found.length, kept.length)
    await database.deleteFrom('oauthClients').execute()
  })

  async function listDeleted() {
    const events = service().context.database.selectFrom('auditEvents').select('subjectId')
    const deletions = events.where('action', '=', 'oauth-client.deleted').where('userAgent', '=', 'maintenance')
    return (await deletions.orderBy('createdAt').orderBy('id').execute()).map(({ subjectId }) => subjectId)
  }
})
