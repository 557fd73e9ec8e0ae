import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { statementsOf } from '../../../test/support/statements.ts'
import { administratorWithOrganization, member, sessionOf } from '../../../test/support/users.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'
import { createLiveSessions, findLiveSession } from './live-session-store.ts'

const SESSIONS_EACH = 7

onEachDatabase('Live sessions', (service) => {
  async function startSessions() {
    const founder = await administratorWithOrganization(service())
    const users = [await member(service(), founder), await member(service(), founder), await member(service(), founder)]
    const sessions = await Promise.all(
      users.flatMap((user) => Array.from({ length: SESSIONS_EACH }, () => sessionOf(service(), user))),
    )
    const [expired] = sessions.splice(4, 1)
    const { context } = service()
    await context.database
      .updateTable('sessions')
      .set({ expiresAt: context.now() })
      .where('tokenHash', '=', hashToken(expired?.token ?? ''))
      .execute()
    return { sessions, expired }
  }

  test('One statement for several sessions finds the same sessions as one statement for each', async (t) => {
    const { context } = service()
    const { sessions, expired } = await startSessions()
    const tokens = [...sessions.map(({ token }) => token), expired?.token ?? '', 'unknown']
    const liveSessions = createLiveSessions(context)
    let together: unknown[] = []
    const statements = await statementsOf(t, service(), async () => {
      together = await Promise.all(tokens.map((token) => liveSessions.find(hashToken(token))))
    })
    const alone = await Promise.all(
      tokens.map((token) => findLiveSession(context.database, hashToken(token), context.now())),
    )
    assert.deepEqual(together, alone)
    assert.equal(together.filter((found) => found === undefined).length, 2)
    assert.equal(statements.length, 1)
  })

  test('A live session has each column of its session and of its user, also those of the same name', async () => {
    const { database, now } = service().context
    const user = await administratorWithOrganization(service())
    const tokenHash = hashToken((await sessionOf(service(), user)).token)
    const ofBoth = { createdAt: 1, updatedAt: 2, properties: '{"plan":"large"}' }
    await database.updateTable('users').set(ofBoth).where('id', '=', user.id).execute()
    const found = await findLiveSession(database, tokenHash, now())
    const sessions = database.selectFrom('sessions').selectAll().where('tokenHash', '=', tokenHash)
    const session = await sessions.executeTakeFirstOrThrow()
    // The table has columns that this version does not read.
    assert.deepEqual({ ...session, ...found?.session }, { ...session })
    const users = database.selectFrom('users').selectAll().where('id', '=', user.id)
    assert.deepEqual(found?.user, { ...(await users.executeTakeFirstOrThrow()) })
  })

  test('Concurrent requests with different sessions each get their own user and session', async () => {
    const { sessions, expired } = await startSessions()
    const answers = await Promise.all(
      [...sessions, { token: expired?.token, id: undefined }].map(async ({ token, id }) => {
        const headers = { authorization: `Bearer ${token}` }
        return { id, body: (await service().client().get('/api/auth/get-session', { headers })).body }
      }),
    )
    for (const { id, body } of answers) assert.equal(body?.user.id, id)
    const found = answers.flatMap(({ body }) => (body ? [body.session.id] : []))
    assert.equal(new Set(found).size, sessions.length)
  })
})
