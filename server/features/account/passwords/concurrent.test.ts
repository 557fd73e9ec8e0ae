import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kysely } from 'kysely'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  newMember,
  PASSWORD,
} from '../../../../test/support/users.ts'
import { insertPasskey } from '../../../core/credentials/passkey-store.ts'
import { findPasswordHash, replacePasswordHash, setPasswordHash } from '../../../core/credentials/password-store.ts'
import { lockOrganizationForUpdate } from '../../../core/memberships/lock-membership.ts'
import { clearActiveOrganization } from '../../../core/sessions/active-organization.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import { hashToken, newId } from '../../../platform/crypto/tokens.ts'
import type { Tables } from '../../../platform/database/tables.ts'

const OTHER_PASSWORD = 'another fine long password'

onEachDatabase('Concurrent changes of passwords', (service) => {
  const signIn = (email: string, password = PASSWORD) =>
    service().client().post('/api/auth/sign-in/email', { email, password })
  const sessionsOf = (userId: string) =>
    service().context.database.selectFrom('sessions').selectAll().where('userId', '=', userId).execute()
  const revokeSessions = (transaction: Kysely<Tables>, userId: string) =>
    transaction.deleteFrom('sessions').where('userId', '=', userId).execute()

  test('sign-in refuses the old password when another one is set concurrently', async () => {
    const { id, email } = await newMember(service())
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

  test('sign-in starts no session for a user who is banned concurrently', async () => {
    const { id, email } = await newMember(service())
    const answer = await concurrently(service(), banning(id), () => signIn(email))
    assert.deepEqual([answer.status, answer.body.code], [403, 'BANNED_USER'])
    assert.deepEqual(await sessionsOf(id), [])
  })

  test('change-password starts no session for a user who is banned concurrently', async () => {
    const { id, client } = await newMember(service())
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD }
    const answer = await concurrently(service(), banning(id), () => client.post('/api/auth/change-password', change))
    assert.deepEqual([answer.status, answer.body.code], [401, 'UNAUTHORIZED'])
    assert.deepEqual(await sessionsOf(id), [])
  })

  test('change-password replaces no other password than the one that it has verified', async () => {
    const { id, email, client } = await newMember(service())
    const { context } = service()
    const otherHash = await context.passwords.hash(OTHER_PASSWORD)
    const setting: ConcurrentStep = {
      begin: (transaction) => lockUserForUpdate(transaction, id),
      finish: (transaction) => setPasswordHash(transaction, context, id, otherHash),
    }
    const change = { currentPassword: PASSWORD, newPassword: 'a third fine long password' }
    const answer = await concurrently(service(), setting, () => client.post('/api/auth/change-password', change))
    assert.deepEqual([answer.status, answer.body.code], [400, 'INVALID_PASSWORD'])
    assert.equal((await signIn(email, OTHER_PASSWORD)).status, 200)
  })

  const renewing = async (id: string): Promise<ConcurrentStep> => {
    const { database, passwords } = service().context
    const oldHash = (await findPasswordHash(database, id)) ?? ''
    const newHash = await passwords.hash(PASSWORD)
    assert.notEqual(newHash, oldHash)
    return { begin: (transaction) => replacePasswordHash(transaction, id, oldHash, { newHash }) }
  }

  test('Two concurrent sign-ins that renew the hash both succeed', async () => {
    const { id, email } = await administrator(service())
    const answer = await concurrently(service(), await renewing(id), () => signIn(email))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  })

  test('change-password succeeds when a sign-in renews the hash concurrently', async () => {
    const { id, email, client } = await newMember(service())
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD }
    const answer = await concurrently(service(), await renewing(id), () =>
      client.post('/api/auth/change-password', change),
    )
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal((await signIn(email, OTHER_PASSWORD)).status, 200)
  })

  test('The email of change-password lists a passkey that is added concurrently', async () => {
    const { id, email, client } = await newMember(service())
    const { context } = service()
    const adding: ConcurrentStep = {
      begin: (transaction) => lockUserForUpdate(transaction, id),
      finish: (transaction) =>
        insertPasskey(transaction, {
          id: newId('psk', context),
          name: 'Late Phone',
          publicKey: '',
          userId: id,
          credentialID: `late-${id}`,
          counter: 0,
          deviceType: 'singleDevice',
          backedUp: 0,
          transports: '',
          createdAt: context.now(),
          lastUsedAt: null,
          isImported: 0,
          aaguid: '',
        }),
    }
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD }
    const answer = await concurrently(service(), adding, () => client.post('/api/auth/change-password', change))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.match((await service().emails(email))[0]?.text ?? '', /Late Phone/)
  })

  test('change-password does not keep an organization active whose membership ends concurrently', async () => {
    const { id, client, organization } = await newMember(service())
    const removal: ConcurrentStep = {
      async begin(transaction) {
        await lockOrganizationForUpdate(transaction, organization.id)
        await transaction.deleteFrom('members').where('userId', '=', id).execute()
        await clearActiveOrganization(transaction, id, organization.id)
      },
    }
    const active = async () => (await client.get('/api/auth/get-session')).body.session.activeOrganizationId
    assert.equal(await active(), organization.id)
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD }
    const answer = await concurrently(service(), removal, () => client.post('/api/auth/change-password', change))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(await active(), null)
  })
})

onEachDatabase(
  'Concurrent sign-ins with one session for each user',
  (service) => {
    test('Two users who sign in over the session of each other cause no deadlock', async () => {
      const founder = await administratorWithOrganization(service())
      // Sessions are locked in the order of their ids, so that of `first` is locked before that of `second`.
      const [first, second] = [await member(service(), founder), await member(service(), founder)]
      const lockSession = (transaction: Kysely<Tables>, { token }: typeof first) =>
        transaction.selectFrom('sessions').where('tokenHash', '=', hashToken(token)).select('id').forUpdate().execute()
      const otherSignIn: ConcurrentStep = {
        begin: (transaction) => lockSession(transaction, first),
        finish: (transaction) => lockSession(transaction, second),
      }
      const client = service().client()
      client.cookies.set('session', second.token)
      const { status } = await concurrently(service(), otherSignIn, () =>
        client.post('/api/auth/sign-in/email', { email: first.email, password: PASSWORD }),
      )
      assert.equal(status, 200)
    })

    test('A sign-in that revokes the session of an impersonator causes no deadlock with a concurrent revocation', async () => {
      const user = await newMember(service())
      const staff = await administrator(service())
      const { body } = await staff.client.post('/api/auth/admin/impersonate-user', { userId: user.id })
      const { database } = service().context
      const own = await database
        .selectFrom('sessions')
        .select('id')
        .where('tokenHash', '=', hashToken(staff.token))
        .executeTakeFirstOrThrow()
      const lock = (transaction: Kysely<Tables>, id: string) =>
        transaction.selectFrom('sessions').where('id', '=', id).select('id').forUpdate().execute()
      // A revocation locks the session of the impersonator, and then the impersonated one, in the order of their ids.
      const revocation: ConcurrentStep = {
        begin: (transaction) => lock(transaction, own.id),
        finish: (transaction) => lock(transaction, body.session.id),
      }
      const { status } = await concurrently(service(), revocation, () =>
        service().client().post('/api/auth/sign-in/email', { email: staff.email, password: PASSWORD }),
      )
      assert.equal(status, 200)
      const revoked = [own.id, body.session.id]
      assert.deepEqual(await database.selectFrom('sessions').select('id').where('id', 'in', revoked).execute(), [])
    })
  },
  { SESSIONS_PER_USER: '1' },
)
