import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdRequest } from '../../../test/support/held-request.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { userWithRole } from '../../../test/support/staff.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  newMember,
  type TestUser,
} from '../../../test/support/users.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'

const OAUTH2 = '/api/auth/oauth2'
const APP = { client_name: 'Graphs', redirect_uris: ['https://graphs.example.com/callback'] }
const MACHINE = { client_name: 'Export', grant_types: ['client_credentials'] }

type Client = TestUser['client']
const create = async (client: Client, body: object = APP) => {
  const answer = await client.post(`${OAUTH2}/create-client`, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}
const update = (client: Client, client_id: string, change: object) =>
  client.post(`${OAUTH2}/update-client`, { client_id, update: change })

onEachDatabase('OAuth clients', (service) => {
  const rowOf = (id: string) =>
    service().context.database.selectFrom('oauthClients').selectAll().where('id', '=', id).executeTakeFirst()
  const eventsOf = (id: string) =>
    service()
      .context.database.selectFrom('auditEvents')
      .select(['action', 'details', 'organizationId'])
      .where('subjectId', '=', id)
      .orderBy('id')
      .execute()

  test('create-client shows the secret once, stores its hash, and the client belongs to the active organization', async () => {
    const { client, id, organization } = await administratorWithOrganization(service())
    const { client_secret, ...created } = await create(client)
    assert.match(client_secret, /^[\w-]{43}$/)
    assert.deepEqual(
      [created.reference_id, created.user_id, created.client_secret_expires_at, created.client_name],
      [organization.id, id, 0, 'Graphs'],
    )
    const row = await rowOf(created.client_id)
    assert.equal(row?.secretHash, hashToken(client_secret))
    const { body } = await client.get(`${OAUTH2}/get-client?client_id=${created.client_id}`)
    assert.deepEqual(body, created)
    const listed = (await client.get(`${OAUTH2}/get-clients`)).body
    assert.deepEqual(listed, [created])
    const [event] = await eventsOf(created.client_id)
    assert.deepEqual([event?.action, event?.organizationId], ['oauth-client.created', organization.id])
    const shown = JSON.stringify([body, listed, await eventsOf(created.client_id)])
    for (const secret of [client_secret, row?.secretHash ?? '']) assert.ok(!shown.includes(secret))
  })

  test('Clients without a secret are public clients and those with keys', async () => {
    const { client } = await administrator(service())
    const created = await create(client, { ...APP, token_endpoint_auth_method: 'none' })
    assert.deepEqual([created.client_secret, created.client_secret_expires_at], [undefined, undefined])
    const rotated = await client.post(`${OAUTH2}/client/rotate-secret`, { client_id: created.client_id })
    assert.deepEqual([rotated.status, rotated.body.code], [400, 'OAUTH_CLIENT_HAS_NO_SECRET'])
  })

  test('Administrators without an active organization create clients of the service, which may skip consent', async () => {
    const { client } = await administrator(service())
    const created = await create(client, { ...APP, skip_consent: true })
    assert.deepEqual([created.reference_id, created.skip_consent], [undefined, true])
    const { client: active } = await administratorWithOrganization(service())
    const other = await create(active, { ...MACHINE, ownedBy: 'service' })
    assert.equal(other.reference_id, undefined)
    const { body } = await active.get(`${OAUTH2}/get-clients?ownedBy=service`)
    const ids = body.map(({ client_id }: { client_id: string }) => client_id)
    assert.ok(ids.includes(created.client_id) && ids.includes(other.client_id))
  })

  test('Better Auth #9635: only owners of an organization and administrators create and list clients', async () => {
    const boss = await administratorWithOrganization(service())
    const admin = await member(service(), boss, 'admin')
    const plain = await member(service(), boss)
    const support = await userWithRole(service(), await administrator(service()), 'support')
    const user = await userWithRole(service(), await administrator(service()))
    const expected: [TestUser, object, string][] = [
      [admin, {}, 'FORBIDDEN'],
      [plain, {}, 'FORBIDDEN'],
      [plain, { ownedBy: 'service' }, 'FORBIDDEN'],
      [support, {}, 'FORBIDDEN'],
      [user, {}, 'NO_ACTIVE_ORGANIZATION'],
      [user, { organizationId: boss.organization.id }, 'ORGANIZATION_NOT_FOUND'],
    ]
    for (const [{ client }, fields, code] of expected) {
      const created = await client.post(`${OAUTH2}/create-client`, { ...APP, ...fields })
      assert.equal(created.body.code, code)
      const listed = await client.get(`${OAUTH2}/get-clients?${new URLSearchParams(fields as Record<string, string>)}`)
      assert.equal(listed.body.code, code)
    }
  })

  test('CVE-2025-64431 (Zitadel): the clients of an organization do not exist for owners of another one and for administrators', async () => {
    const victim = await newMember(service(), 'owner')
    const { client_id } = await create(victim.client)
    const attacker = await newMember(service(), 'owner')
    const before = await rowOf(client_id)
    const admin = await userWithRole(service(), await administrator(service()), 'admin')
    for (const { client } of [attacker, admin])
      for (const [path, body] of [
        ['update-client', { client_id, update: { client_name: 'Taken over' } }],
        ['client/rotate-secret', { client_id }],
        ['delete-client', { client_id }],
      ] as const) {
        const answer = await client.post(`${OAUTH2}/${path}`, body)
        const absent = await client.post(`${OAUTH2}/${path}`, { ...body, client_id: 'cli_absent' })
        assert.deepEqual([answer.status, answer.body.code], [404, 'OAUTH_CLIENT_NOT_FOUND'], path)
        assert.deepEqual(answer.body, absent.body)
      }
    const read = await attacker.client.get(`${OAUTH2}/get-client?client_id=${client_id}`)
    assert.deepEqual([read.status, read.body.code], [404, 'OAUTH_CLIENT_NOT_FOUND'])
    assert.deepEqual((await attacker.client.get(`${OAUTH2}/get-clients`)).body, [])
    assert.deepEqual(await rowOf(client_id), before)
  })

  test('Owners of an organization manage no client of the service', async () => {
    const { client_id } = await create((await administrator(service())).client)
    const { client } = await newMember(service(), 'owner')
    assert.equal((await update(client, client_id, { client_name: 'Mine' })).body.code, 'FORBIDDEN')
    assert.equal((await client.get(`${OAUTH2}/get-client?client_id=${client_id}`)).body.code, 'FORBIDDEN')
  })

  test("Owners can't let their client skip consent, nor move it to another organization", async () => {
    const { client } = await administratorWithOrganization(service())
    const { client_id } = await create(client)
    const created = await client.post(`${OAUTH2}/create-client`, { ...APP, skip_consent: true })
    assert.deepEqual([created.body.code, created.body.field], ['FIELD_NOT_ALLOWED', 'skip_consent'])
    const updated = await update(client, client_id, { skip_consent: true })
    assert.deepEqual([updated.body.code, updated.body.field], ['FIELD_NOT_ALLOWED', 'update.skip_consent'])
    for (const field of ['reference_id', 'organizationId', 'client_id', 'client_secret', 'user_id']) {
      const { status, body } = await update(client, client_id, { [field]: 'org_other' })
      assert.deepEqual([status, body.field], [400, `update.${field}`])
    }
  })

  test('update-client changes, keeps and removes fields, and records the names of the changed ones', async () => {
    const { client } = await administratorWithOrganization(service())
    const { client_secret: _, ...created } = await create(client, { ...APP, tos_uri: 'https://graphs.example.com/tos' })
    const backchannel_logout_uri = 'https://graphs.example.com/logout'
    const change = { client_name: 'Charts', tos_uri: null, backchannel_logout_uri, disabled: true }
    const { body } = await update(client, created.client_id, change)
    const { tos_uri, ...rest } = created
    assert.deepEqual(body, { ...rest, client_name: 'Charts', backchannel_logout_uri, disabled: true })
    assert.equal((await rowOf(created.client_id))?.backchannelLogoutUri, backchannel_logout_uri)
    const event = (await eventsOf(created.client_id)).at(-1)
    assert.deepEqual(JSON.parse(event?.details ?? ''), {
      name: 'Charts',
      changed: 'client_name, tos_uri, backchannel_logout_uri, disabled',
      disabled: 1,
    })
    assert.equal((await update(client, created.client_id, {})).body.code, 'NO_DATA_TO_UPDATE')
  })

  test('update-client checks the metadata as a whole, and changes nothing when it refuses', async () => {
    const { client } = await administratorWithOrganization(service())
    const { client_id } = await create(client)
    const before = await rowOf(client_id)
    for (const [change, code, field] of [
      [{ redirect_uris: ['https://a.example/*'] }, 'INVALID_REDIRECT_URI', 'update.redirect_uris'],
      [{ redirect_uris: [] }, 'INVALID_REDIRECT_URI', 'update.redirect_uris'],
      [{ token_endpoint_auth_method: 'private_key_jwt' }, 'INVALID_CLIENT_METADATA', 'update.jwks'],
      [{ backchannel_logout_uri: 'https://10.0.0.1/' }, 'INVALID_CLIENT_METADATA', 'update.backchannel_logout_uri'],
      [{ client_uri: 'javascript:alert(1)' }, 'VALIDATION_ERROR', 'update.client_uri'],
      [{ logo_uri: 'data:text/html,x' }, 'VALIDATION_ERROR', 'update.logo_uri'],
      [{ tos_uri: 'https://user:pass@example.com/' }, 'VALIDATION_ERROR', 'update.tos_uri'],
      [{ policy_uri: 'https://user@example.com' }, 'VALIDATION_ERROR', 'update.policy_uri'],
      [{ client_name: 'Graphs\nof evil' }, 'VALIDATION_ERROR', 'update.client_name'],
      [{ grant_types: ['password'] }, 'VALIDATION_ERROR', 'update.grant_types.0'],
      [{ redirect_uris: Array(51).fill('https://a.example/') }, 'VALIDATION_ERROR', 'update.redirect_uris'],
      [{ contacts: ['not an address'] }, 'VALIDATION_ERROR', 'update.contacts.0'],
      [{ contacts: ['a@example..com'] }, 'VALIDATION_ERROR', 'update.contacts.0'],
    ] as const) {
      const { status, body } = await update(client, client_id, change)
      assert.deepEqual([status, body.code, body.field], [400, code, field], JSON.stringify(body))
    }
    assert.deepEqual(await rowOf(client_id), before)
  })

  test('update-client refuses a change by a caller who has read other lists, and accepts its repetition', async () => {
    const { client } = await administratorWithOrganization(service())
    const [first, second, third] = ['a', 'b', 'c'].map((path) => `https://graphs.example.com/${path}`)
    for (const name of ['redirect_uris', 'post_logout_redirect_uris']) {
      const lists = { redirect_uris: [first], post_logout_redirect_uris: [first] }
      const { client_id } = await create(client, { ...APP, ...lists })
      const change = (list: unknown, expected: unknown) =>
        client.post(`${OAUTH2}/update-client`, {
          client_id,
          update: { [name]: list, client_name: 'Charts' },
          expected: { [name]: expected },
        })
      const stored = async () => (await client.get(`${OAUTH2}/get-client?client_id=${client_id}`)).body
      for (const expected of [[second], [first, second], []]) {
        // An app without a redirect URI would be refused, too.
        for (const replacement of [[first, third], []]) {
          const { status, body } = await change(replacement, expected)
          assert.deepEqual([status, body.code, body.field], [400, 'METADATA_CHANGED', `expected.${name}`])
        }
      }
      const { client_name, [name]: list } = await stored()
      assert.deepEqual([client_name, list], ['Graphs', [first]])
      const { body: refused } = await client.post(`${OAUTH2}/update-client`, {
        client_id,
        update: { client_name: 'Charts' },
        expected: { [name]: [second] },
      })
      assert.equal(refused.code, 'METADATA_CHANGED')
      for (const _attempt of ['first', 'repeated']) {
        assert.equal((await change([first, third, third], [first])).status, 200)
        assert.deepEqual((await stored())[name], [first, third])
      }
    }
  })

  test('update-client only restricts a client whose stored metadata would be refused now', async () => {
    const { client } = await administrator(service())
    const { client_id } = await create(client)
    const { database } = service().context
    const moved = { backchannelLogoutUri: 'https://10.0.0.1/logout' }
    await database.updateTable('oauthClients').set(moved).where('id', '=', client_id).execute()
    const renamed = await update(client, client_id, { client_name: 'Charts' })
    assert.deepEqual(
      [renamed.body.code, renamed.body.field],
      ['INVALID_CLIENT_METADATA', 'update.backchannel_logout_uri'],
    )
    const disabled = await update(client, client_id, { disabled: true })
    assert.deepEqual([disabled.status, disabled.body.disabled], [200, true])
    assert.equal((await rowOf(client_id))?.backchannelLogoutUri, moved.backchannelLogoutUri)
    for (const change of [{ disabled: false }, { skip_consent: true }, { disabled: true, skip_consent: true }]) {
      const { body } = await update(client, client_id, change)
      assert.equal(body.code, 'INVALID_CLIENT_METADATA', JSON.stringify(change))
    }
    const { body } = await update(client, client_id, { skip_consent: false })
    assert.equal(body.skip_consent, false)
  })

  test('A client that becomes public loses its secret, and gets a new one when it is confidential again', async () => {
    const { client } = await administratorWithOrganization(service())
    const { client_id, client_secret } = await create(client)
    const { body: same } = await update(client, client_id, { token_endpoint_auth_method: 'client_secret_post' })
    assert.equal(same.client_secret, undefined)
    assert.equal((await rowOf(client_id))?.secretHash, hashToken(client_secret))
    await update(client, client_id, { token_endpoint_auth_method: 'none' })
    assert.equal((await rowOf(client_id))?.secretHash, null)
    const { body } = await update(client, client_id, { token_endpoint_auth_method: 'client_secret_basic' })
    assert.notEqual(body.client_secret, client_secret)
    assert.equal((await rowOf(client_id))?.secretHash, hashToken(body.client_secret))
  })

  test('rotate-secret replaces the secret; of concurrent calls one counts', async () => {
    const { client } = await administratorWithOrganization(service())
    const { client_id, client_secret } = await create(client)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => client.post(`${OAUTH2}/client/rotate-secret`, { client_id })),
    )
    const hashes = answers.map(({ body }) => hashToken(body.client_secret))
    assert.equal(new Set(hashes).size, 5)
    const stored = (await rowOf(client_id))?.secretHash ?? ''
    assert.ok(hashes.includes(stored) && stored !== hashToken(client_secret))
    const events = await eventsOf(client_id)
    assert.equal(events.filter(({ action }) => action === 'oauth-client.secret-rotated').length, 5)
  })

  test('delete-client deletes the consents and sessions of the client, and its organization deletes its clients', async () => {
    const { client, id: userId, organization } = await administratorWithOrganization(service())
    const { database } = service().context
    const { client_id: clientId } = await create(client)
    const times = { createdAt: 1, updatedAt: 1 }
    const consent = { id: `con_${clientId}`, userId, clientId, scopes: 'openid', organizationIds: '', ...times }
    await database.insertInto('oauthConsents').values(consent).execute()
    const session = await database
      .selectFrom('sessions')
      .select('id')
      .where('userId', '=', userId)
      .executeTakeFirstOrThrow()
    await database
      .insertInto('clientSessions')
      .values({ sid: clientId, sessionId: session.id, clientId, userId, createdAt: 1, lastUsedAt: 1 })
      .execute()
    assert.deepEqual((await client.post(`${OAUTH2}/delete-client`, { client_id: clientId })).body, { status: true })
    for (const table of ['oauthConsents', 'clientSessions'] as const)
      assert.deepEqual(
        await database.selectFrom(table).select('clientId').where('clientId', '=', clientId).execute(),
        [],
      )
    assert.equal((await client.post(`${OAUTH2}/delete-client`, { client_id: clientId })).status, 404)
    const { client_id: other } = await create(client)
    await client.post('/api/auth/organization/delete', { organizationId: organization.id })
    assert.equal(await rowOf(other), undefined)
  })

  test('public-client shows every signed-in user the name and links of an enabled client, and nothing else', async () => {
    const boss = await administratorWithOrganization(service())
    const site = 'https://graphs.example.com'
    const links = {
      client_uri: site,
      logo_uri: `${site}/logo`,
      tos_uri: `${site}/terms`,
      policy_uri: `${site}/privacy`,
    }
    const { client_id } = await create(boss.client, {
      ...APP,
      ...links,
      post_logout_redirect_uris: [`${site}/bye`],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid',
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      id_token_signed_response_alg: 'ES256',
      application_type: 'web',
      backchannel_logout_uri: `${site}/logout`,
      backchannel_logout_session_required: true,
      dpop_bound_access_tokens: true,
      contacts: ['ada@example.com'],
      software_id: 'graphs',
      software_version: '1',
      jwks_uri: `${site}/keys`,
    })
    const { client } = await userWithRole(service(), await administrator(service()))
    const path = `${OAUTH2}/public-client?client_id=${client_id}`
    assert.deepEqual((await client.get(path)).body, { client_id, client_name: 'Graphs', ...links })
    assert.equal((await service().client().get(path)).status, 401)
    await update(boss.client, client_id, { disabled: true })
    assert.deepEqual((await client.get(path)).body.code, 'OAUTH_CLIENT_NOT_FOUND')
  })

  test('The bound of 100 clients per organization holds for concurrent calls of create-client', async () => {
    const { client, organization } = await administratorWithOrganization(service())
    const { client_id } = await create(client)
    const row = await rowOf(client_id)
    assert.ok(row)
    const rows = Array.from({ length: 96 }, (_, index) => ({ ...row, id: `${client_id}_${index}` }))
    await service().context.database.insertInto('oauthClients').values(rows).execute()
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.post(`${OAUTH2}/create-client`, MACHINE)))
    const codes = answers.map(({ status, body }) => (status === 200 ? 'ok' : body.code)).toSorted()
    assert.deepEqual(codes, [...Array(3).fill('OAUTH_CLIENT_LIMIT_REACHED'), ...Array(3).fill('ok')])
    await client.post('/api/auth/organization/delete', { organizationId: organization.id })
  })

  test('A request with a delayed body is refused when its owner or administrator loses the role before the body arrives', async () => {
    const boss = await administratorWithOrganization(service())
    const second = await member(service(), boss, 'owner')
    const admin = await userWithRole(service(), await administrator(service()), 'admin')
    const hold = ({ token }: TestUser, body: object) =>
      holdRequest(service().baseUrl, `${OAUTH2}/create-client`, body, { authorization: `Bearer ${token}` })
    const held = [await hold(second, APP), await hold(admin, { ...APP, ownedBy: 'service' })]
    const { body } = await boss.client.get('/api/auth/organization/list-members')
    const { id: memberId } = body.members.find(({ userId }: { userId: string }) => userId === second.id)
    await boss.client.post('/api/auth/organization/update-member-role', { memberId, role: 'admin' })
    await boss.client.post('/api/auth/admin/set-role', { userId: admin.id, role: 'user' })
    for (const request of held) assert.match(await request.release(), /^HTTP\/1\.1 403 [\s\S]*FORBIDDEN/)
  })

  test('Staff routes for clients need the second step that REQUIRE_TWO_FACTOR asks for', async (t) => {
    const { client } = await administrator(service())
    t.after(() => {
      service().config.requireTwoFactor = 'none'
    })
    service().config.requireTwoFactor = 'staff'
    assert.equal((await client.get(`${OAUTH2}/get-clients`)).body.code, 'TWO_FACTOR_REQUIRED')
  })
})
