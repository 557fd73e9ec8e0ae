import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { findSessionOf } from '../../../test/support/client-sessions.ts'
import { startService } from '../../../test/support/service.ts'
import { statementsOf } from '../../../test/support/statements.ts'
import { newMember, signedIn } from '../../../test/support/users.ts'
import { hashToken, newId, newToken } from '../../platform/crypto/tokens.ts'
import type { OnRowChange, RowChanges } from '../../platform/database/row-changes.ts'
import { createCallerFinder } from './caller-cache.ts'

test('A cached session is never older than the last commit, of this process or of another', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { email, id } = await newMember(service)
  const { database, config } = service.context
  if (config.database.engine !== 'sqlite') throw new Error('This is about SQLite')
  const elsewhere = new DatabaseSync(config.database.path)
  t.after(() => elsewhere.close())

  const changes: Record<string, { change: (sessionId: string) => unknown; expected: (body: unknown) => boolean }> = {
    'the user, here': {
      change: () => database.updateTable('users').set({ name: 'Changed here' }).where('id', '=', id).execute(),
      expected: (body) => JSON.stringify(body).includes('Changed here'),
    },
    'the user, elsewhere': {
      change: () => elsewhere.prepare('update users set name = ? where id = ?').run('Changed elsewhere', id),
      expected: (body) => JSON.stringify(body).includes('Changed elsewhere'),
    },
    'the session, here': {
      change: (sessionId) =>
        database.updateTable('sessions').set({ userAgent: 'here' }).where('id', '=', sessionId).execute(),
      expected: (body) => JSON.stringify(body).includes('"userAgent":"here"'),
    },
    'the session, elsewhere': {
      change: (sessionId) => elsewhere.prepare('delete from sessions where id = ?').run(sessionId),
      expected: (body) => body === null,
    },
    'the session, deleted here': {
      change: (sessionId) => database.deleteFrom('sessions').where('id', '=', sessionId).execute(),
      expected: (body) => body === null,
    },
  }
  for (const [what, { change, expected }] of Object.entries(changes)) {
    const { client } = await signedIn(service, email)
    const { session } = (await client.get('/api/auth/get-session')).body
    const before = await client.get('/api/auth/get-session')
    assert.equal(expected(before.body), false, what)
    await change(session.id)
    assert.equal(expected((await client.get('/api/auth/get-session')).body), true, what)
  }
  const { client } = await signedIn(service, email)
  assert.notEqual((await client.get('/api/auth/get-session')).body, null)
  await database.deleteFrom('users').where('id', '=', id).execute()
  assert.equal(
    (await client.get('/api/auth/get-session')).body,
    null,
    'the foreign key deletes a session with its user',
  )
})

test('A rolled-back change leaves the cached session as it was', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { client, id } = await newMember(service)
  await client.get('/api/auth/get-session')
  const { database } = service.context
  const undone = database.transaction().execute(async (transaction) => {
    await transaction.updateTable('users').set({ banned: 1 }).where('id', '=', id).execute()
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.equal((await client.get('/api/auth/get-session')).body.user.banned, false)
})

test('A session that is checked while it is revoked is refused by every later check', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { email } = await newMember(service)
  for (let round = 0; round < 20; round += 1) {
    const { client, token } = await signedIn(service, email)
    const ask = () => service.client().get('/api/auth/get-session', { headers: { authorization: `Bearer ${token}` } })
    await Promise.all([ask(), client.post('/api/auth/sign-out'), ask(), ask(), ask()])
    assert.equal((await ask()).body, null, `round ${round}`)
  }
})

test('A session that was read during a commit is not cached', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { token } = await newMember(service)
  const commits: OnRowChange[] = []
  const rowChanges: RowChanges = {
    watch: (_table, _keyColumn, onChange) => void commits.push(onChange),
    catchUp: async () => {},
  }
  const find = createCallerFinder(service.context, rowChanges)
  const reading = find(token)
  for (const commit of commits) commit('another-key')
  await reading
  const again = await find(token)
  assert.notEqual(again, await reading, 'the caller is not cached')
  assert.equal(await find(token), again, 'a look-up without a concurrent commit is cached')
})

test("The cache returns no session while it can't see the commits of other processes", async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { token } = await newMember(service)
  let isBroken = false
  const find = createCallerFinder(service.context, {
    watch: () => {},
    async catchUp() {
      if (isBroken) throw new Error('disk I/O error')
    },
  })
  const found = await find(token)
  assert.equal(await find(token), found)
  isBroken = true
  for (let count = 0; count < 3; count += 1) await assert.rejects(find(token), /disk I\/O error/)
})

test('A start without the triggers of the cache fails, because revoked sessions would stay in the cache', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const watch = () => {
    throw new Error('no such table: main.sessions')
  }
  assert.throws(() => createCallerFinder(service.context, { watch, catchUp: async () => {} }), /no such table/)
})

test('Sessions of a user with 14 KiB of properties and picture fill the cache when they are fewer than 600', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { context } = service
  const { database } = context
  const user = await newMember(service)
  const ofUser = JSON.stringify({ text: 'x'.repeat(8_100) })
  const long = { properties: ofUser, image: `https://example.com/${'x'.repeat(2_000)}` }
  await database.updateTable('users').set(long).where('id', '=', user.id).execute()
  const session = await findSessionOf(service, user)
  const properties = JSON.stringify({ text: 'x'.repeat(4_050) })
  const tokens = Array.from({ length: 600 }, () => newToken(context))
  for (const token of tokens)
    await database
      .insertInto('sessions')
      .values({ ...session, id: newId('ses', context), tokenHash: hashToken(token), properties })
      .execute()
  const find = createCallerFinder(context, { watch() {}, async catchUp() {} })
  for (const token of tokens) assert.ok(await find(token))
  const countReads = async (token = '') => (await statementsOf(t, service, () => find(token))).length
  assert.deepEqual([await countReads(tokens[0]), await countReads(tokens.at(-1))], [0, 1])
})
