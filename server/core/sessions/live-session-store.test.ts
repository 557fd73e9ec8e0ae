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
