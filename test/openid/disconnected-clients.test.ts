import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { before, type TestContext, test } from 'node:test'
import { DEVICE_CODE_GRANT } from '../../server/core/oauth-clients/metadata.ts'
import { createTestApp, signInTo, type TestApp } from '../support/openid.ts'
import { askToken, basic, newCodeForm, postForm } from '../support/protocol.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { onEachDatabase } from '../support/service.ts'
import { afterStatement } from '../support/statements.ts'
import { introspect, refresh } from '../support/token-requests.ts'
import { until } from '../support/until.ts'
import { newMember, type TestMember } from '../support/users.ts'

const AUTH = '/api/auth'
type Form = Record<string, string>

onEachDatabase('A token request whose client has disconnected', (service) => {
  let app: TestApp
  before(async () => {
    app = await createTestApp(service())
  })

  const refreshForm = (token = ''): Form => ({ grant_type: 'refresh_token', refresh_token: token })
  const newToken = async (user: TestMember) => (await signInTo(user, app)).refresh_token ?? ''

  async function newDeviceForm(user: TestMember): Promise<Form> {
    const { body } = await postForm(service(), `${AUTH}/device/code`, { scope: 'openid' }, basic(app))
    const { status } = await user.client.post(`${AUTH}/device/approve`, { userCode: body.user_code })
    assert.equal(status, 200)
    return { grant_type: DEVICE_CODE_GRANT, device_code: body.device_code }
  }

  async function listReplays({ id }: TestMember): Promise<string[]> {
    const events = service().context.database.selectFrom('auditEvents').select('action').where('subjectId', '=', id)
    const replays = events.where('action', 'in', ['oauth-code.replayed', 'oauth-refresh.reused'])
    return (await replays.execute()).map(({ action }) => action)
  }

  /** Opens a connection for the request of a form. */
  async function openConnection(t: TestContext, form: Form) {
    let response: ServerResponse | undefined
    const onRequest = (message: unknown) => {
      response = (message as { response: ServerResponse }).response
      unsubscribe('http.server.request.start', onRequest)
    }
    const { baseUrl, config } = service()
    const { socket } = await RawConnection.open(config.port)
    t.after(() => socket.destroy())
    subscribe('http.server.request.start', onRequest)
    const body = String(new URLSearchParams(form))
    const headers = {
      host: new URL(baseUrl).host,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
      ...basic(app),
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    return {
      socket,
      send: () => socket.write(`POST ${AUTH}/oauth2/token HTTP/1.1\r\n${lines.join('')}\r\n${body}`),
      /** Closes the connection, and waits until the service has closed its side. */
      async disconnect() {
        socket.destroy()
        if (response && !response.destroyed) await once(response, 'close')
      },
      handled: () => until(() => response?.writableEnded === true, 'the request is handled', 5),
    }
  }

  const ways: Record<string, (socket: Socket) => void> = {
    'has closed the connection': (socket) => socket.destroy(),
    'has closed its side of the connection': (socket) => socket.end(),
  }
  for (const [way, close] of Object.entries(ways)) {
    /** Sends a form, and closes the connection before the service reads it. */
    async function sendAndClose(t: TestContext, form: Form): Promise<void> {
      const { socket, send, handled } = await openConnection(t, form)
      let answer = ''
      socket.on('data', (bytes: Buffer) => {
        answer += bytes
      })
      send()
      close(socket)
      await handled()
      if (!socket.destroyed) await once(socket, 'close')
      assert.equal(answer, '')
    }

    test(`A repeated refresh of a client that ${way} displaces no token`, async (t) => {
      const user = await newMember(service())
      const token = await newToken(user)
      const { body } = await refresh(service(), app, token)
      await sendAndClose(t, refreshForm(token))
      assert.equal((await refresh(service(), app, body.refresh_token)).status, 200)
      assert.deepEqual(await listReplays(user), [])
    })

    test(`A replayed code or refresh token of a client that ${way} ends no token`, async (t) => {
      const user = await newMember(service())
      const token = await newToken(user)
      const next = (await refresh(service(), app, token)).body.refresh_token
      const { refresh_token } = (await refresh(service(), app, next)).body
      const form = await newCodeForm(user, app)
      const redeemed = await askToken(service(), app, form)
      await sendAndClose(t, refreshForm(token))
      await sendAndClose(t, form)
      assert.equal((await refresh(service(), app, refresh_token)).status, 200)
      assert.equal((await introspect(service(), app, redeemed.body.access_token)).body.active, true)
      assert.deepEqual(await listReplays(user), [])
      // A replay whose client waits for the response is noticed.
      for (const replay of [refreshForm(token), form])
        assert.equal((await askToken(service(), app, replay)).status, 400)
      assert.deepEqual((await listReplays(user)).sort(), ['oauth-code.replayed', 'oauth-refresh.reused'])
    })

    test(`A client that ${way} uses up no code, device code or refresh token`, async (t) => {
      const user = await newMember(service())
      const token = await newToken(user)
      for (const form of [await newCodeForm(user, app), await newDeviceForm(user), refreshForm(token)]) {
        const artifacts = service().context.database.selectFrom('oauthArtifacts').select('idHash')
        const consumed = artifacts.where('clientId', '=', app.id).where('consumedAt', 'is not', null)
        const before = await consumed.execute()
        await sendAndClose(t, form)
        assert.deepEqual(await consumed.execute(), before)
        const { status, body } = await askToken(service(), app, form)
        assert.equal(status, 200, JSON.stringify(body))
        assert.equal((await consumed.execute()).length, before.length + 1)
      }
    })
  }

  test('A replayed refresh token whose client disconnects before the transaction ends no token', async (t) => {
    const user = await newMember(service())
    const token = await newToken(user)
    const next = (await refresh(service(), app, token)).body.refresh_token
    const { refresh_token } = (await refresh(service(), app, next)).body
    const { send, disconnect, handled } = await openConnection(t, refreshForm(token))
    const { database } = service().context
    const builder = database.transaction()
    const begun = t.mock.method(database, 'transaction', () => builder)
    const execute = builder.execute.bind(builder)
    t.mock.method(builder, 'execute', async (...work: Parameters<typeof execute>) => {
      await disconnect()
      return execute(...work)
    })
    send()
    await handled()
    assert.equal(begun.mock.callCount(), 1)
    begun.mock.restore()
    assert.equal((await refresh(service(), app, refresh_token)).status, 200)
    assert.deepEqual(await listReplays(user), [])
  })

  test('A repeated refresh whose client disconnects during the request displaces no token', async (t) => {
    const user = await newMember(service())
    const token = await newToken(user)
    const { body } = await refresh(service(), app, token)
    const { send, disconnect, handled } = await openConnection(t, refreshForm(token))
    const consumption = /^update "oauthArtifacts" set "consumedAt"/
    await afterStatement(t, service(), { matching: consumption, step: disconnect }, async () => {
      send()
      await handled()
    })
    assert.equal((await refresh(service(), app, body.refresh_token)).status, 200)
    assert.deepEqual(await listReplays(user), [])
  })
})
