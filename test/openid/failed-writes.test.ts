import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../support/client.ts'
import { failWrites } from '../support/fail-writes.ts'
import { authorizationRequest, createTestApp } from '../support/openid.ts'
import { askToken, basic, newCodeForm, postForm } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import { introspect, refresh, revoke } from '../support/token-requests.ts'
import { newMember } from '../support/users.ts'

const AUTH = '/api/auth'
const TABLES = ['clientSessions', 'oauthGrants', 'oauthArtifacts', 'auditEvents']
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

onEachDatabase('Failed writes of OpenID Connect', (service) => {
  test('A write that fails at any table leaves nothing half done, and the same request succeeds afterwards', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const scope = { scope: 'openid organization offline_access' }
    const code = await newCodeForm(user, app)
    const { body: tokens } = await askToken(service(), app, await newCodeForm(user, app))
    const { body: device } = await postForm(service(), `${AUTH}/device/code`, scope, basic(app))
    const { path } = await authorizationRequest(app)
    const { database } = service().context
    const rows = () => Promise.all(TABLES.slice(0, 3).map((table) => countOf(table as 'oauthGrants')))
    const countOf = async (table: 'oauthGrants') => (await database.selectFrom(table).selectAll().execute()).length
    const approve = () => user.client.post(`${AUTH}/device/approve`, { userCode: device.user_code })
    const requests: Record<string, () => Promise<Answer>> = {
      authorize: () => user.client.get(path),
      redeem: () => askToken(service(), app, code),
      refresh: () => refresh(service(), app, tokens.refresh_token),
      approve,
    }

    for (const table of TABLES) {
      const before = await rows()
      const repair = await failWrites(service(), table)
      try {
        for (const [name, send] of Object.entries(requests)) {
          // A redemption and a refresh write to oauthArtifacts only, and the next rounds need both.
          if (['redeem', 'refresh'].includes(name) && table !== 'oauthArtifacts') continue
          const { status, headers } = await send()
          assert.ok(status >= 500, `${name} with ${table}: ${status} ${headers.get('location')}`)
        }
        assert.deepEqual(await rows(), before, table)
      } finally {
        await repair()
      }
    }
    for (const [name, send] of Object.entries(requests)) assert.ok((await send()).status < 400, name)
    const polled = await askToken(service(), app, { grant_type: DEVICE_GRANT, device_code: device.device_code })
    assert.equal(polled.status, 200, JSON.stringify(polled.body))
  })

  test('A revocation that fails revokes nothing, and the same request revokes the access afterwards', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    for (const kind of ['access_token', 'refresh_token']) {
      const { body: tokens } = await askToken(service(), app, await newCodeForm(user, app))
      const isActive = async () => (await introspect(service(), app, tokens.access_token)).body.active
      const repair = await failWrites(service(), 'auditEvents')
      const failed = await revoke(service(), app, tokens[kind])
      await repair()
      assert.deepEqual([failed.status, await isActive()], [500, true], kind)
      assert.equal((await revoke(service(), app, tokens[kind])).status, 200)
      assert.equal(await isActive(), false, kind)
    }
  })

  test("A log-out page that can't be stored gets an error page, and the library prints nothing beside the log", async (t) => {
    const app = await createTestApp(service())
    const { mock } = t.mock.method(console, 'error', () => {})
    const repair = await failWrites(service(), 'oauthArtifacts')
    const path = `${AUTH}/oauth2/end-session?client_id=${app.id}`
    const { status, body } = await service()
      .client()
      .get(path, { headers: { accept: 'text/html' } })
    await repair()
    assert.equal(status, 500)
    assert.match(body, /data-error="INTERNAL_SERVER_ERROR"/)
    assert.equal(mock.callCount(), 0)
  })

  test('After a crash between the consumption of a refresh token and the answer, the client may repeat the refresh', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { body: tokens } = await askToken(service(), app, await newCodeForm(user, app))
    const { database, now } = service().context
    const consumed = database.updateTable('oauthArtifacts').set({ consumedAt: now() })
    await consumed.where('kind', '=', 'RefreshToken').where('clientId', '=', app.id).execute()
    service().advance(5_000)
    const repeated = await refresh(service(), app, tokens.refresh_token)
    assert.equal(repeated.status, 200, JSON.stringify(repeated.body))
    assert.equal((await refresh(service(), app, repeated.body.refresh_token)).status, 200)
  })

  test('A retry after a crash that consumed the code is refused, and does not count as a replay', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const code = await newCodeForm(user, app)
    const { database, now } = service().context
    const consumed = database.updateTable('oauthArtifacts').set({ consumedAt: now() })
    await consumed.where('kind', '=', 'AuthorizationCode').where('clientId', '=', app.id).execute()
    const granted = database.selectFrom('oauthGrants').select('id').where('clientId', '=', app.id)
    const { id } = await granted.executeTakeFirstOrThrow()
    for (const [milliseconds, grants] of [
      [5_000, 1],
      [6_000, 0],
    ] as const) {
      service().advance(milliseconds)
      assert.equal((await askToken(service(), app, code)).body.error, 'invalid_grant')
      const left = await database.selectFrom('oauthGrants').select('id').where('id', '=', id).execute()
      assert.equal(left.length, grants)
    }
    assert.equal((await askToken(service(), app, await newCodeForm(user, app))).status, 200)
  })
})
