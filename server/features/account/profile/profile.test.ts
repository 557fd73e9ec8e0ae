import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { newMember } from '../../../../test/support/users.ts'

onEachDatabase('profile', (service) => {
  test('update-user changes the name and the image', async () => {
    const { client } = await newMember(service())
    const { body } = await client.post('/api/auth/update-user', {
      name: 'New Name',
      image: 'https://example.com/me.png',
    })
    assert.deepEqual([body.user.name, body.user.image], ['New Name', 'https://example.com/me.png'])
    await client.post('/api/auth/update-user', { image: null })
    const { user } = (await client.get('/api/auth/get-session')).body
    assert.deepEqual([user.name, user.image], ['New Name', null])
  })

  test('CVE-2026-27946, CVE-2026-54693: update-user refuses every other field by name', async () => {
    const { client } = await newMember(service())
    const before = (await client.get('/api/auth/get-session')).body.user
    for (const field of [
      'emailVerified',
      'role',
      'banned',
      'id',
      'email',
      'banReason',
      'banExpires',
      'createdAt',
      'password',
      'twoFactorEnabled',
    ]) {
      const answer = await client.post('/api/auth/update-user', { name: 'Sneaky', [field]: true })
      assert.deepEqual([answer.status, answer.body.field], [400, field])
    }
    for (const body of [
      {},
      { name: '' },
      { name: null },
      { name: 'a\nb' },
      { name: 'x'.repeat(101) },
      { image: 'not an address' },
      { image: 'x'.repeat(3000) },
    ]) {
      assert.equal((await client.post('/api/auth/update-user', body)).status, 400, JSON.stringify(body))
    }
    assert.deepEqual((await client.get('/api/auth/get-session')).body.user, before)
  })

  test('list-accounts lists the linked accounts without the hash of the password', async () => {
    const { client, id } = await newMember(service())
    const { body } = await client.get('/api/auth/list-accounts')
    assert.equal(body.length, 1)
    const { id: accountId, createdAt, updatedAt, ...account } = body[0]
    assert.match(accountId, /^lac_/)
    assert.ok(createdAt && updatedAt)
    assert.deepEqual(account, { providerId: 'credential', accountId: id, userId: id, scopes: [] })
  })
})
