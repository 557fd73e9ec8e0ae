import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { pino } from 'pino'
import { openContext } from '../../server/core/context.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import type { Answer } from '../support/client.ts'
import { createClient } from '../support/client.ts'
import { findSessionOf, insertTestClientSession } from '../support/client-sessions.ts'
import { startLogOutReceiver } from '../support/log-out-receiver.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import { insertTestClient } from '../support/oauth-clients.ts'
import { newSecret, printedSetupToken, runAccounts, startProcess } from '../support/process.ts'
import { until } from '../support/until.ts'
import { PASSWORD } from '../support/users.ts'

const ADA = { email: 'ada@example.com', password: PASSWORD }
const COUNT = 6

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`Log-outs reach the client once, and also after SIGKILL and a new SECRET (${engine})`, async (t) => {
    const testDatabase = await createMigratedDatabase(engine)
    t.after(() => testDatabase.drop())
    const receiver = await startLogOutReceiver()
    t.after(() => receiver.close())
    const [oldSecret, newestSecret] = [newSecret(), newSecret()]
    const start = async (SECRET: string) => {
      const service = await startProcess(testDatabase.url, { SECRET, LOG_LEVEL: 'debug' })
      t.after(() => service.child.kill('SIGKILL'))
      return service
    }
    const first = await start(oldSecret)
    const second = await start(oldSecret)
    const config = readConfig({ DATABASE_URL: testDatabase.url, SECRET: oldSecret })
    const opened = openContext(config, { now: Date.now, randomBytes, log: pino({ level: 'silent' }) })
    t.after(() => opened.close())
    const { database } = opened.context
    const client = await insertTestClient(opened, { backchannel_logout_uri: receiver.uri })

    /** Signs out of a session with several sessions at the client. @returns their `sid` */
    const signOut = async ({ body, status }: Answer) => {
      assert.equal(status, 200, JSON.stringify(body))
      const { id: sessionId, userId } = await findSessionOf(opened, body)
      const planted = Array.from({ length: COUNT }, () =>
        insertTestClientSession(opened, client, { sessionId, userId }),
      )
      const sids = await Promise.all(planted)
      const headers = { authorization: `Bearer ${body.token}` }
      assert.equal((await createClient(first.baseUrl).post('/api/auth/sign-out', {}, { headers })).status, 200)
      return sids
    }
    const waiting = () => database.selectFrom('oauthLogouts').selectAll().where('settledAt', 'is', null).execute()

    const setup = { ...ADA, name: 'Ada Admin', token: printedSetupToken(first) }
    const sids = await signOut(await createClient(first.baseUrl).post('/api/setup', setup))
    await until(async () => (await waiting()).length === 0, 'every log-out is delivered')
    assert.deepEqual(receiver.sids().toSorted(), sids.toSorted())

    receiver.reply = 'hang'
    receiver.requests.length = 0
    const interrupted = await signOut(await createClient(first.baseUrl).post('/api/auth/sign-in/email', ADA))
    await until(() => receiver.requests.length > 0, 'a log-out is in flight')
    for (const { child, ended } of [first, second]) {
      child.kill('SIGKILL')
      await ended
    }
    assert.equal((await waiting()).length, COUNT)
    const environment = { DATABASE_URL: testDatabase.url, SECRET: newestSecret, PREVIOUS_SECRET: oldSecret }
    assert.equal(await runAccounts(['keys', 'rotate-secret'], environment).ended, 0)
    // The test does not wait for the end of the leases of the killed processes.
    await database.updateTable('oauthLogouts').set({ leasedUntil: 0 }).where('settledAt', 'is', null).execute()
    receiver.reply = 200
    receiver.requests.length = 0
    const third = await start(newestSecret)
    await until(async () => (await waiting()).length === 0, 'every log-out is delivered after the restart')
    assert.deepEqual(receiver.sids().toSorted(), interrupted.toSorted())
    for (const { output } of [first, second, third]) {
      assert.match(output(), /oauthLogouts/, 'statements are logged')
      assert.doesNotMatch(output(), /eyJ/)
    }
    third.child.kill('SIGTERM')
    assert.equal(await third.ended, 0)
  })
}
