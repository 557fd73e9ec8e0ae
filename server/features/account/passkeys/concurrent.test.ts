import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthenticator } from '../../../../test/support/authenticator.ts'
import type { Answer } from '../../../../test/support/client.ts'
import {
  type ConcurrentStep,
  concurrently,
  organizationDeletion,
  userDeletion,
} from '../../../../test/support/concurrently.ts'
import { authenticateOptions, registerOptions, userWithPasskey } from '../../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administratorWithOrganization, invite, signedIn } from '../../../../test/support/users.ts'
import { updatePasskeyName } from '../../../core/credentials/passkey-store.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'

const REGISTER = '/api/auth/passkey/verify-registration'
const SIGN_IN = '/api/auth/passkey/verify-authentication'

onEachDatabase('Concurrent changes of passkeys', (service) => {
  const check = ({ status, body }: Answer, expected: [number, string]) =>
    assert.deepEqual([status, body.code], expected, JSON.stringify(body))

  test('add-passkey refuses a user who is deleted concurrently', async () => {
    const { id, client } = await userWithPasskey(service())
    const response = createAuthenticator(service().baseUrl).create(await registerOptions(client))
    check(await concurrently(service(), userDeletion(service(), id), () => client.post(REGISTER, { response })), [
      401,
      'UNAUTHORIZED',
    ])
  })

  test('The event of a renamed passkey has the name that a concurrent request gave it as the former one', async () => {
    const { id, client, passkeyId } = await userWithPasskey(service())
    const renaming: ConcurrentStep = {
      async begin(transaction) {
        await lockUserForUpdate(transaction, id)
        await updatePasskeyName(transaction, id, passkeyId, 'At work')
      },
    }
    const rename = () => client.post('/api/auth/passkey/update-passkey', { id: passkeyId, name: 'At home' })
    assert.equal((await concurrently(service(), renaming, rename)).status, 200)
    const events = service().context.database.selectFrom('auditEvents').select('details').where('subjectId', '=', id)
    const { details } = await events.where('action', '=', 'passkey.renamed').executeTakeFirstOrThrow()
    assert.equal(JSON.parse(details).before, 'At work')
  })

  test('sign-in with a passkey refuses a user who is deleted concurrently', async () => {
    const { id, authenticator } = await userWithPasskey(service())
    const client = service().client()
    const response = authenticator.get(await authenticateOptions(client))
    const answer = await concurrently(service(), userDeletion(service(), id), () => client.post(SIGN_IN, { response }))
    check(answer, [401, 'UNKNOWN_PASSKEY'])
  })

  test('sign-in with a passkey refuses a user who is banned concurrently', async () => {
    const { id, authenticator } = await userWithPasskey(service())
    const client = service().client()
    const response = authenticator.get(await authenticateOptions(client))
    const banning: ConcurrentStep = {
      begin: (transaction) => transaction.updateTable('users').set({ banned: 1 }).where('id', '=', id).execute(),
    }
    check(await concurrently(service(), banning, () => client.post(SIGN_IN, { response })), [403, 'BANNED_USER'])
  })

  test('sign-in with a passkey refuses one that another user has registered since', async () => {
    const { id, authenticator, passkeyId } = await userWithPasskey(service())
    const other = await userWithPasskey(service())
    const client = service().client()
    const response = authenticator.get(await authenticateOptions(client))
    const registration: ConcurrentStep = {
      async begin(transaction) {
        await lockUserForUpdate(transaction, id)
        const passkeys = transaction.deleteFrom('passkeys').where('id', '=', passkeyId).returningAll()
        const passkey = await passkeys.executeTakeFirstOrThrow()
        await transaction
          .insertInto('passkeys')
          .values({ ...passkey, id: 'psk_other', userId: other.id })
          .execute()
      },
    }
    const answer = await concurrently(service(), registration, () => client.post(SIGN_IN, { response }))
    check(answer, [401, 'UNKNOWN_PASSKEY'])
  })

  for (const path of ['/api/auth/passkey/delete-passkey', '/api/auth/revoke-other-sessions'])
    test(`${path} changes nothing in a session that is revoked concurrently`, async () => {
      const { id, email, client, passkeyId } = await userWithPasskey(service())
      const { token } = await signedIn(service(), email)
      const revocation: ConcurrentStep = {
        async begin(transaction) {
          await lockUserForUpdate(transaction, id)
          const others = transaction.deleteFrom('sessions').where('userId', '=', id)
          await others.where('tokenHash', '!=', hashToken(token)).execute()
        },
      }
      const body = path.endsWith('passkey') ? { id: passkeyId } : undefined
      check(await concurrently(service(), revocation, () => client.post(path, body)), [401, 'UNAUTHORIZED'])
      const { database } = service().context
      for (const table of ['passkeys', 'sessions'] as const)
        assert.equal(
          (await database.selectFrom(table).select('id').where('userId', '=', id).execute()).length,
          1,
          table,
        )
    })

  test('sign-up with a passkey creates no user when the organization is deleted concurrently', async () => {
    const inviter = await administratorWithOrganization(service())
    const { linkPath } = await invite(service(), inviter)
    const client = service().client()
    await client.get(linkPath)
    const options = await registerOptions(client, '?context=sign-up&name=Hilda%20Hire')
    const response = createAuthenticator(service().baseUrl).create(options)
    const answer = await concurrently(service(), organizationDeletion(inviter.organization.id), () =>
      client.post(REGISTER, { response }),
    )
    check(answer, [400, 'INVITATION_REQUIRED'])
  })

  test('A verified session loses an active organization that is deleted concurrently', async () => {
    const { client, authenticator, organization } = await userWithPasskey(service())
    const response = authenticator.get(await authenticateOptions(client))
    const before = (await client.get('/api/auth/get-session')).body.session.activeOrganizationId
    assert.equal(before, organization.id)
    const answer = await concurrently(service(), organizationDeletion(organization.id), () =>
      client.post(SIGN_IN, { response }),
    )
    assert.equal(answer.status, 200)
    const after = (await client.get('/api/auth/get-session')).body.session.activeOrganizationId
    assert.equal(after, null)
  })
})
