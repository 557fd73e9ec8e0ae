import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Kysely } from 'kysely'
import { findSessionOf, insertTestClientSessions, insertTestGrants } from '../../../test/support/client-sessions.ts'
import { concurrently } from '../../../test/support/concurrently.ts'
import { failWrites } from '../../../test/support/fail-writes.ts'
import { holdTransaction } from '../../../test/support/hold-transaction.ts'
import { newUsers } from '../../../test/support/many-users.ts'
import { insertTestClient } from '../../../test/support/oauth-clients.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { statementsOf } from '../../../test/support/statements.ts'
import { administrator, signedIn } from '../../../test/support/users.ts'
import { revokeSessionsOfDisabledClient } from '../../core/client-management/revoke-sessions.ts'
import { maintain } from '../../maintenance.ts'
import type { OAuthClientRow, Tables } from '../../platform/database/tables.ts'
import { newTimeBudget, withTimeBudget } from '../../platform/database/time-budget.ts'

const OAUTH2 = '/api/auth/oauth2'
const MANY = 250

onEachDatabase('Sessions at an OAuth client that is disabled or deleted', (service, engine) => {
  const database = () => service().context.database

  /** A client of the service with sessions at it, which are all of one session of the administrator. */
  async function openScene(sessionCount = MANY, columns: Partial<OAuthClientRow> = {}) {
    const admin = await administrator(service())
    const metadata = { backchannel_logout_uri: 'https://app.example.com/log-out' }
    const { id: clientId } = await insertTestClient(service(), metadata, columns)
    const { id: sessionId, userId } = await findSessionOf(service(), admin)
    const session = { sessionId, userId, clientId, organizationId: null }
    const sids = await insertTestClientSessions(service(), Array(sessionCount).fill(session))
    const post = (path: string, body = {}) => admin.client.post(`${OAUTH2}/${path}`, { client_id: clientId, ...body })
    return {
      admin,
      clientId,
      sids,
      session,
      update: (disabled: boolean) => post('update-client', { update: { disabled } }),
      remove: () => post('delete-client'),
    }
  }

  const rowOf = (clientId: string) =>
    database().selectFrom('oauthClients').selectAll().where('id', '=', clientId).executeTakeFirst()
  const sidsIn = async (table: 'clientSessions' | 'oauthLogouts', clientId: string) => {
    const rows = await database().selectFrom(table).select('sid').where('clientId', '=', clientId).execute()
    return rows.map(({ sid }) => sid).toSorted()
  }
  const actionsOn = async (clientId: string) => {
    const events = database().selectFrom('auditEvents').select('action').where('subjectId', '=', clientId).orderBy('id')
    return (await events.execute()).map(({ action }) => action)
  }
  const countOf = async (t: TestContext, text: string, run: () => Promise<unknown>) =>
    (await statementsOf(t, service(), run)).filter(({ sql }) => sql.includes(text)).length

  test('update-client ends the sessions at a disabled client in batches of 100, each with its log-out', async (t) => {
    const { clientId, sids, update } = await openScene()
    const count = await countOf(t, 'delete from "clientSessions"', async () => {
      const { status, body } = await update(true)
      assert.deepEqual([status, body.disabled], [200, true])
    })
    assert.equal(count, 4, 'the last one finds no session')
    assert.deepEqual(await sidsIn('clientSessions', clientId), [])
    assert.deepEqual(await sidsIn('oauthLogouts', clientId), sids.toSorted())
    assert.deepEqual(await actionsOn(clientId), ['oauth-client.updated'])
  })

  test("A client is disabled although its sessions can't be ended, and maintenance ends them later", async () => {
    const { clientId, sids, update } = await openScene()
    const enabled = await openScene(1)
    const repair = await failWrites(service(), 'clientSessions', ['delete'])
    const { status, body } = await update(true)
    await repair()
    assert.deepEqual([status, body.disabled], [200, true])
    assert.equal((await rowOf(clientId))?.disabled, 1)
    assert.deepEqual(await sidsIn('clientSessions', clientId), sids.toSorted())
    await maintain(service().context)
    assert.deepEqual(await sidsIn('clientSessions', clientId), [])
    assert.deepEqual(await sidsIn('oauthLogouts', clientId), sids.toSorted())
    assert.deepEqual(await sidsIn('clientSessions', enabled.clientId), enabled.sids)
  })

  test('Maintenance ends the sessions at all disabled clients in one run', async () => {
    const scenes = [await openScene(3, { disabled: 1 }), await openScene(30, { disabled: 1 })]
    scenes.push(await openScene(3, { disabled: 1 }))
    await maintain(service().context)
    for (const { clientId, sids } of scenes) {
      assert.deepEqual(await sidsIn('clientSessions', clientId), [])
      assert.deepEqual(await sidsIn('oauthLogouts', clientId), sids.toSorted())
    }
  })

  test('update-client ends the sessions that are left before it enables a client', async () => {
    const { clientId, sids, update } = await openScene(MANY, { disabled: 1 })
    const { status, body } = await update(false)
    assert.deepEqual([status, body.disabled], [200, false])
    assert.deepEqual(await sidsIn('clientSessions', clientId), [])
    assert.deepEqual(await sidsIn('oauthLogouts', clientId), sids.toSorted())
  })

  test('update-client ends no session at a client that is enabled already', async () => {
    const { clientId, sids, update } = await openScene(1)
    assert.equal((await update(false)).status, 200)
    assert.deepEqual(await sidsIn('clientSessions', clientId), sids)
  })

  test('update-client enables no client with a session that came after the batches', async () => {
    const { clientId, session, update } = await openScene(1, { disabled: 1 })
    let sids: string[] = []
    const step = {
      begin: (transaction: Kysely<Tables>) =>
        transaction.selectFrom('oauthClients').select('id').where('id', '=', clientId).forNoKeyUpdate().execute(),
      async finish(transaction: Kysely<Tables>) {
        sids = await insertTestClientSessions({ context: { ...service().context, database: transaction } }, [session])
      },
    }
    const { status, body } = await concurrently(service(), step, () => update(false))
    assert.deepEqual([status, body.code], [503, 'SERVICE_UNAVAILABLE'])
    assert.equal((await rowOf(clientId))?.disabled, 1)
    assert.deepEqual(await sidsIn('clientSessions', clientId), sids)
    assert.equal((await update(false)).status, 200)
  })

  // SQLite has no row locks.
  if (engine === 'postgres') {
    test('update-client ends the other sessions while one is locked', async (t) => {
      const { database: settings } = service().config
      assert.ok(settings.engine === 'postgres')
      const { admin, clientId, session, update } = await openScene(3)
      const other = await signedIn(service(), admin.email)
      const { id: sessionId } = await findSessionOf(service(), other)
      const locked = await insertTestClientSessions(service(), [{ ...session, sessionId }])
      const commit = await holdTransaction(
        t,
        settings.url,
        `select id from sessions where id = '${sessionId}' for update`,
      )
      assert.equal((await update(true)).status, 200)
      assert.deepEqual(await sidsIn('clientSessions', clientId), locked)
      await commit()
    })

    test('Maintenance ends the sessions at other clients while those at one disabled client are locked', async (t) => {
      const { database: settings } = service().config
      assert.ok(settings.engine === 'postgres')
      const { admin, clientId, sids, session } = await openScene(3, { disabled: 1 })
      const other = await signedIn(service(), admin.email)
      const { id: sessionId } = await findSessionOf(service(), other)
      const { id: otherClientId } = await insertTestClient(service(), {}, { disabled: 1 })
      await insertTestClientSessions(service(), [{ ...session, sessionId, clientId: otherClientId }])
      const commit = await holdTransaction(
        t,
        settings.url,
        `select id from sessions where id = '${session.sessionId}' for update`,
      )
      await maintain(service().context)
      assert.deepEqual(await sidsIn('clientSessions', clientId), sids.toSorted())
      assert.deepEqual(await sidsIn('clientSessions', otherClientId), [])
      await commit()
    })
  }

  test('The sessions at a disabled client end although the request has no time left for the database', async () => {
    const { clientId } = await openScene(MANY, { disabled: 1 })
    await withTimeBudget(newTimeBudget(0), () => revokeSessionsOfDisabledClient(service().context, clientId))
    assert.deepEqual(await sidsIn('clientSessions', clientId), [])
  })

  test('delete-client disables a large client before it deletes anything, and can be repeated after an error', async () => {
    const { clientId, sids, remove } = await openScene()
    const repair = await failWrites(service(), 'clientSessions', ['delete'])
    const { status } = await remove()
    await repair()
    assert.equal(status, 500)
    assert.equal((await rowOf(clientId))?.disabled, 1)
    assert.deepEqual(await sidsIn('clientSessions', clientId), sids.toSorted())
    assert.deepEqual(await actionsOn(clientId), ['oauth-client.updated'])
    assert.equal((await remove()).status, 200)
    assert.equal(await rowOf(clientId), undefined)
    assert.equal((await actionsOn(clientId)).at(-1), 'oauth-client.deleted')
    assert.deepEqual(await sidsIn('oauthLogouts', clientId), [], 'a deleted client gets no log-out')
  })

  test('delete-client deletes the sessions at a large client in batches of 100', async (t) => {
    const { clientId, remove } = await openScene()
    const count = await countOf(t, 'delete from "clientSessions"', remove)
    assert.equal(count, 4, 'the last one finds no session')
    assert.equal(await rowOf(clientId), undefined)
  })

  test('delete-client deletes the consents of more than 100 users in batches', async (t) => {
    const { clientId, remove } = await openScene(1)
    const emails = await newUsers(service(), 101)
    const users = await database().selectFrom('users').select('id').where('email', 'in', emails).execute()
    const consents = users.map(({ id }) => ({
      id: `con_${id}`,
      userId: id,
      clientId,
      scopes: 'openid',
      organizationIds: '',
      createdAt: 1,
      updatedAt: 1,
    }))
    await database().insertInto('oauthConsents').values(consents).execute()
    const count = await countOf(t, 'delete from "oauthConsents"', remove)
    assert.equal(count, 3, 'the last one finds no consent')
    assert.equal(await rowOf(clientId), undefined)
  })

  test('delete-client deletes the sessions at a client with more than 1,000 grants in batches', async () => {
    for (const [grantCount, actions] of [
      [1_000, ['oauth-client.deleted']],
      [1_001, ['oauth-client.updated', 'oauth-client.deleted']],
    ] as const) {
      const { clientId, remove } = await openScene(10)
      await insertTestGrants(service(), { clientId }, grantCount - 10)
      assert.equal((await remove()).status, 200)
      assert.deepEqual(await actionsOn(clientId), actions)
      assert.deepEqual(await sidsIn('clientSessions', clientId), [])
    }
  })

  test('delete-client deletes a client with 100 sessions in one transaction', async () => {
    const { clientId, remove } = await openScene(100)
    assert.equal((await remove()).status, 200)
    assert.deepEqual(await actionsOn(clientId), ['oauth-client.deleted'])
    assert.deepEqual(await sidsIn('clientSessions', clientId), [])
  })
})
