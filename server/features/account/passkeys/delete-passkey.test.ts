import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthenticator } from '../../../../test/support/authenticator.ts'
import {
  addPasskey,
  tryToAdd,
  tryToSignIn,
  userWithPasskey,
  userWithPasskeyOnly,
} from '../../../../test/support/passkeys.ts'
import { onEachDatabase, startService } from '../../../../test/support/service.ts'
import { signedIn } from '../../../../test/support/users.ts'

const DELETE = '/api/auth/passkey/delete-passkey'
const LIST = '/api/auth/passkey/list-user-passkeys'
const MINUTE = 60_000

onEachDatabase('delete-passkey', (service) => {
  test('delete-passkey revokes every other session, sends an email, and the passkey is refused', async () => {
    const { client, email, passkeyId, authenticator } = await userWithPasskey(service())
    const other = await signedIn(service(), email)
    const answer = await client.post(DELETE, { id: passkeyId })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { status: true })
    assert.deepEqual((await client.get(LIST)).body, [])
    assert.equal((await other.client.get('/api/auth/get-session')).body, null)
    assert.equal((await tryToSignIn(service().client(), authenticator)).body.code, 'UNKNOWN_PASSKEY')
    const [message] = await service().emails(email)
    assert.equal(message?.subject, 'A passkey was deleted: Passkey')
    const text = message.text.replace(/\s+/g, ' ')
    assert.match(text, /every other session was signed out/)
    assert.match(text, /set a new password at \S+\/forgot-password\. That page shows your passkeys/)
    const { count } = await service()
      .context.database.selectFrom('auditEvents')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('action', '=', 'passkey.deleted')
      .where('details', 'like', `%${passkeyId}%`)
      .executeTakeFirstOrThrow()
    assert.equal(count, 1)
  })

  test('delete-passkey requires a fresh session', async () => {
    const { client, passkeyId } = await userWithPasskey(service())
    service().advance(15 * MINUTE)
    const answer = await client.post(DELETE, { id: passkeyId })
    assert.equal(answer.status, 403)
    assert.equal(answer.body.code, 'SESSION_NOT_FRESH')
  })

  test('GHSA-4vcf-q4xf-f48m: delete-passkey and update-passkey return 404 for a passkey of another user', async () => {
    const victim = await userWithPasskey(service())
    const attacker = await userWithPasskey(service())
    for (const id of [victim.passkeyId, 'psk_none', victim.id]) {
      const answers = [
        await attacker.client.post(DELETE, { id }),
        await attacker.client.post('/api/auth/passkey/update-passkey', { id, name: 'Mine' }),
      ]
      for (const answer of answers) {
        assert.equal(answer.status, 404)
        assert.equal(answer.body.code, 'PASSKEY_NOT_FOUND')
      }
    }
    const [passkey] = (await victim.client.get(LIST)).body
    assert.equal(passkey.name, 'Passkey')
    assert.equal((await tryToSignIn(service().client(), victim.authenticator)).status, 200)
  })

  test('delete-passkey refuses the last way to sign in until there is another passkey or a password', async () => {
    const user = await userWithPasskeyOnly(service())
    const answer = await user.client.post(DELETE, { id: user.passkeyId })
    assert.equal(answer.status, 400)
    assert.equal(answer.body.code, 'LAST_WAY_TO_SIGN_IN')
    assert.equal((await user.client.get('/api/auth/get-session')).body.user.id, user.id)
    await tryToAdd(user.client, createAuthenticator(service().baseUrl))
    assert.equal((await user.client.post(DELETE, { id: user.passkeyId })).status, 200)
  })

  test('Two concurrent requests of delete-passkey leave one passkey, in one process and in two', async () => {
    const user = await userWithPasskeyOnly(service())
    const second = await addPasskey(service(), user)
    const beside = await startService({ engine: service().engine, beside: service() })
    beside.advance(service().context.now() - beside.context.now())
    try {
      const elsewhere = beside.client()
      const headers = { authorization: `Bearer ${user.token}` }
      const answers = await Promise.all([
        user.client.post(DELETE, { id: user.passkeyId }),
        elsewhere.post(DELETE, { id: second.passkeyId }, { headers }),
        user.client.post(DELETE, { id: user.passkeyId }),
        elsewhere.post(DELETE, { id: second.passkeyId }, { headers }),
      ])
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal((await user.client.get(LIST)).body.length, 1)
    } finally {
      await beside.stop()
    }
  })

  test('delete-passkey and update-passkey name the field that is wrong', async () => {
    const { client, passkeyId: id } = await userWithPasskey(service())
    for (const [field, body] of [
      ['id', {}],
      ['id', { id: null }],
      ['id', { id: 'a\u0000b' }],
      ['id', { id: 'x'.repeat(65) }],
      ['userId', { id, userId: 'usr_1' }],
    ] as const) {
      const answer = await client.post(DELETE, body)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.field, field)
    }
    for (const name of ['', ' ', 'a\nb', 'a\u0000b', 'x'.repeat(101), null, 7]) {
      const answer = await client.post('/api/auth/passkey/update-passkey', { id, name })
      assert.equal(answer.status, 400)
      assert.equal(answer.body.field, 'name')
    }
    assert.equal((await client.get(LIST)).body[0].name, 'Passkey')
    const renamed = await client.post('/api/auth/passkey/update-passkey', { id, name: 'Ključ 🔑' })
    assert.equal(renamed.status, 200)
    assert.equal(renamed.body.passkey.name, 'Ključ 🔑')
    assert.equal((await client.get(LIST)).body[0].name, 'Ključ 🔑')
  })
})
