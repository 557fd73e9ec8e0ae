import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { consumeOnce, issueToken } from './single-use-tokens.ts'
import { LIFETIME_MILLISECONDS, type TokenPurpose } from './token-purposes.ts'

onEachDatabase('A single-use token', (service) => {
  const issue = (purpose: TokenPurpose = 'set up') =>
    issueToken(service().context.database, service().context, purpose, {
      userId: null,
      data: { email: 'a@example.com' },
    })
  const consume = (purpose: TokenPurpose, token: string) =>
    consumeOnce(service().context.database, service().context.now(), purpose, token)

  test('gives back what it was issued with, once', async () => {
    const token = await issue()
    const { createdAt, ...used } = (await consume('set up', token)) ?? { createdAt: 0 }
    assert.deepEqual(used, { userId: null, sessionId: null, data: { email: 'a@example.com' } })
    assert.ok(createdAt <= service().context.now())
    assert.equal(await consume('set up', token), undefined)
  })

  test('used twenty times at once works once', async () => {
    const token = await issue()
    const uses = await Promise.all(Array.from({ length: 20 }, () => consume('set up', token)))
    assert.equal(uses.filter((use) => use !== undefined).length, 1)
  })

  test('GHSA-965c-763c-88jm: serves no other purpose, and is not used up by the try', async () => {
    const purposes = Object.keys(LIFETIME_MILLISECONDS) as TokenPurpose[]
    for (const issued of purposes) {
      const token = await issue(issued)
      for (const other of purposes) if (other !== issued) assert.equal(await consume(other, token), undefined)
      assert.notEqual(await consume(issued, token), undefined)
    }
  })

  test('is not in the database as itself', async () => {
    const token = await issue()
    const rows = await service().context.database.selectFrom('singleUseTokens').selectAll().execute()
    assert.ok(rows.length > 0)
    assert.ok(!JSON.stringify(rows).includes(token))
  })

  test('expires', async () => {
    const token = await issue('reset password')
    service().advance(LIFETIME_MILLISECONDS['reset password'])
    assert.equal(await consume('reset password', token), undefined)
  })
})
