import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kysely } from 'kysely'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administrator, member, owner, PASSWORD } from '../../../../test/support/users.ts'
import { replacePasswordHash, setPasswordHash } from '../../../core/credentials/password-store.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import type { Tables } from '../../../platform/database/tables.ts'

const OTHER_PASSWORD = 'another fine long password'

/** Checking takes long enough for anything to happen; whatever ends all sessions would miss the one that starts then. */
onEachDatabase('While a password is checked', (service) => {
  const signIn = (email: string, password = PASSWORD) =>
    service().client().post('/api/auth/sign-in/email', { email, password })
  const sessionsOf = (userId: string) =>
    service().context.database.selectFrom('sessions').selectAll().where('userId', '=', userId).execute()
  const revokeSessions = (transaction: Kysely<Tables>, userId: string) =>
    transaction.deleteFrom('sessions').where('userId', '=', userId).execute()

  test('and another one is set, the old one opens nothing', async () => {
    const { id, email } = await member(service(), await owner(service()))
    const { context } = service()
    const otherHash = await context.passwords.hash(OTHER_PASSWORD)
    const setting: ConcurrentStep = {
      begin: (transaction) => lockUserForUpdate(transaction, id),
      async finish(transaction) {
        await setPasswordHash(transaction, context, id, otherHash)
        await revokeSessions(transaction, id)
      },
    }
    const answer = await concurrently(service(), setting, () => signIn(email))
    assert.deepEqual([answer.status, answer.body.code], [401, 'INVALID_EMAIL_OR_PASSWORD'])
    assert.deepEqual(await sessionsOf(id), [])
    assert.equal((await signIn(email, OTHER_PASSWORD)).status, 200)
  })

  const banning = (id: string): ConcurrentStep => ({
    begin: (transaction) => lockUserForUpdate(transaction, id),
    async finish(transaction) {
      await transaction.updateTable('users').set({ banned: 1 }).where('id', '=', id).execute()
      await revokeSessions(transaction, id)
    },
  })

  test('and its user is banned, no session is left for when the ban is over', async () => {
    const { id, email } = await member(service(), await owner(service()))
    const answer = await concurrently(service(), banning(id), () => signIn(email))
    assert.deepEqual([answer.status, answer.body.code], [403, 'BANNED_USER'])
    assert.deepEqual(await sessionsOf(id), [])
  })

  test('to change it, and its user is banned, no session takes the place of the others', async () => {
    const { id, client } = await member(service(), await owner(service()))
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD }
    const answer = await concurrently(service(), banning(id), () => client.post('/api/auth/change-password', change))
    assert.deepEqual([answer.status, answer.body.code], [401, 'UNAUTHORIZED'])
    assert.deepEqual(await sessionsOf(id), [])
  })

  test('and its hash is renewed by another sign-in, both are signed in', async () => {
    const { id, email } = await administrator(service())
    const { context } = service()
    const { passwordHash } = await context.database
      .selectFrom('accounts')
      .select('passwordHash')
      .where('userId', '=', id)
      .executeTakeFirstOrThrow()
    const newHash = await context.passwords.hash(PASSWORD)
    const renewing: ConcurrentStep = {
      begin: (transaction) => replacePasswordHash(transaction, id, passwordHash ?? '', { newHash, now: context.now() }),
    }
    const answer = await concurrently(service(), renewing, () => signIn(email))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  })
})
