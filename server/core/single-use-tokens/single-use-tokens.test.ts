import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administrator } from '../../../test/support/users.ts'
import type { TokenPurpose } from '../../platform/database/tables.ts'
import { consumeToken, createToken } from './single-use-tokens.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Emails and documents tell users these times. */
const LIFETIMES: Record<TokenPurpose, number> = {
  'register passkey': 5 * MINUTE,
  'sign up with passkey': 5 * MINUTE,
  'sign in with passkey': 5 * MINUTE,
  'second step': 10 * MINUTE,
  'reset password': HOUR,
  'change email': HOUR,
  'delete user': HOUR,
  'set up': DAY,
  'verify email': DAY,
  'undo email change': 7 * DAY,
}

onEachDatabase('single-use-tokens', (service) => {
  const create = (purpose: TokenPurpose = 'set up') =>
    createToken(service().context.database, service().context, purpose, {
      userId: null,
      data: { email: 'a@example.com' },
    })
  const consume = (purpose: TokenPurpose, token: string) =>
    consumeToken(service().context.database, service().context.now(), purpose, token)

  test('consumeToken returns the content of a token once', async () => {
    const token = await create()
    const { createdAt, ...used } = (await consume('set up', token)) ?? { createdAt: 0 }
    assert.deepEqual(used, { userId: null, sessionId: null, data: { email: 'a@example.com' } })
    assert.ok(createdAt <= service().context.now())
    assert.equal(await consume('set up', token), undefined)
  })

  test('consumeToken returns a token to one of twenty concurrent calls', async () => {
    const token = await create()
    const uses = await Promise.all(Array.from({ length: 20 }, () => consume('set up', token)))
    assert.equal(uses.filter((use) => use !== undefined).length, 1)
  })

  test('GHSA-965c-763c-88jm: consumeToken refuses a token of another purpose and leaves it usable', async () => {
    const purposes = Object.keys(LIFETIMES) as TokenPurpose[]
    for (const purpose of purposes) {
      const token = await create(purpose)
      for (const other of purposes) if (other !== purpose) assert.equal(await consume(other, token), undefined)
      assert.notEqual(await consume(purpose, token), undefined)
    }
  })

  test('createToken stores a hash and not the token', async () => {
    const token = await create()
    const rows = await service().context.database.selectFrom('singleUseTokens').selectAll().execute()
    assert.ok(rows.length > 0)
    assert.ok(!JSON.stringify(rows).includes(token))
  })

  test('A token that a session asked for expires with the session', async () => {
    const { context } = service()
    const { client, id } = await administrator(service())
    const { session } = (await client.get('/api/auth/get-session')).body
    const content = {
      userId: id,
      sessionId: session.id,
      data: { oldEmail: 'a@example.com', newEmail: 'b@example.com' },
    }
    const [token, unused] = [
      await createToken(context.database, context, 'change email', content),
      await createToken(context.database, context, 'change email', content),
    ]
    const change = { expiresAt: context.now() + MINUTE }
    await context.database.updateTable('sessions').set(change).where('id', '=', session.id).execute()
    assert.notEqual(await consume('change email', token), undefined)
    service().advance(MINUTE)
    assert.equal(await consume('change email', unused), undefined)
  })

  test('A token of a banned user is refused until the ban ends', async () => {
    const { context } = service()
    const { id } = await administrator(service())
    const token = await createToken(context.database, context, 'reset password', { userId: id, data: {} })
    const ban = async (banExpires: number | null) => {
      await context.database.updateTable('users').set({ banned: 1, banExpires }).where('id', '=', id).execute()
    }
    await ban(null)
    assert.equal(await consume('reset password', token), undefined)
    await ban(context.now() + MINUTE)
    assert.equal(await consume('reset password', token), undefined)
    service().advance(MINUTE)
    assert.notEqual(await consume('reset password', token), undefined)
  })

  test('A token of each purpose is usable until its lifetime ends', async () => {
    for (const [purpose, lifetime] of Object.entries(LIFETIMES) as [TokenPurpose, number][]) {
      const [token, unused] = [await create(purpose), await create(purpose)]
      service().advance(lifetime - MINUTE)
      assert.notEqual(await consume(purpose, token), undefined, purpose)
      service().advance(MINUTE)
      assert.equal(await consume(purpose, unused), undefined, purpose)
    }
  })
})
