import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerClient } from '../../../test/support/bearer-client.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { userWithRole } from '../../../test/support/staff.ts'
import { afterStatement } from '../../../test/support/statements.ts'
import { administrator, signedIn } from '../../../test/support/users.ts'

const MINUTE = 60_000
/** The statement with which a request finds its session. */
const LOOK_UP = /from "sessions" inner join "users"/

onEachDatabase('The last use of a session', (service) => {
  const newUser = async () => userWithRole(service(), await administrator(service()))
  /** Reads the list by another session, so that reading is no use. */
  const lastUse = async (userId: string, sessionId: string): Promise<string | null> => {
    const { client } = await administrator(service())
    const { body } = await client.post('/api/auth/admin/list-user-sessions', { userId })
    return body.sessions.find(({ id }: { id: string }) => id === sessionId).lastUsedAt
  }

  test('The last use of a session is written by a request, at most once an hour, and the user and staff see it', async () => {
    const { client, id: userId, email } = await newUser()
    const { session } = (await client.get('/api/auth/get-session')).body
    const started = await lastUse(userId, session.id)
    assert.equal(started, session.createdAt)
    service().advance(59 * MINUTE)
    await client.get('/api/auth/get-session')
    assert.equal(await lastUse(userId, session.id), started)
    service().advance(MINUTE)
    assert.equal(await lastUse(userId, session.id), started, 'the session was not used')
    const before = service().context.now()
    const used = (await client.get('/api/auth/get-session')).body.session
    assert.deepEqual(used, session, 'get-session returns the same')
    const written = await lastUse(userId, session.id)
    assert.ok(Date.parse(written ?? '') >= before)
    await client.get('/api/auth/get-session')
    assert.equal(await lastUse(userId, session.id), written)
    const { client: other } = await signedIn(service(), email)
    const listed = (await other.get('/api/auth/list-sessions')).body
    assert.equal(listed.find(({ id }: { id: string }) => id === session.id).lastUsedAt, written)
  })

  test('get-session with disableRefresh=true writes the last use of a session, and of one without a last use', async () => {
    const user = await newUser()
    const { session } = (await user.client.get('/api/auth/get-session')).body
    const { database, now } = service().context
    await database.updateTable('sessions').set({ lastUsedAt: null }).where('id', '=', session.id).execute()
    assert.equal(await lastUse(user.id, session.id), null)
    const before = now()
    const { get } = bearerClient(service(), user)
    assert.deepEqual((await get('/api/auth/get-session?disableRefresh=true')).body.session, session)
    assert.ok(Date.parse((await lastUse(user.id, session.id)) ?? '') >= before)
  })

  test('A use that is written after its session was revoked does not restore the session', async (t) => {
    const user = await newUser()
    service().advance(60 * MINUTE)
    const { get } = bearerClient(service(), user)
    const signOut = { matching: LOOK_UP, step: () => user.client.post('/api/auth/sign-out') }
    const { body } = await afterStatement(t, service(), signOut, () => get('/api/auth/get-session'))
    assert.equal(body.user.id, user.id, 'the request has found the session before')
    assert.equal((await get('/api/auth/get-session')).body, null)
  })
})
