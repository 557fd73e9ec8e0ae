import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertTestClient } from '../../../test/support/oauth-clients.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administrator } from '../../../test/support/users.ts'
import { OPERATOR } from '../audit/actor.ts'
import { inTransaction } from '../in-transaction.ts'
import { findConsent, saveConsent } from './store.ts'

onEachDatabase('oauth-consents', (service) => {
  const scene = async () => {
    const { id: userId } = await administrator(service())
    const { id: clientId } = await insertTestClient(service())
    const save = (...scopes: string[]) =>
      inTransaction(service().context, OPERATOR, (unit) => saveConsent(unit, { userId, clientId, scopes }))
    return { userId, clientId, save }
  }

  test('saveConsent adds the scopes to those of a former consent', async () => {
    const { userId, clientId, save } = await scene()
    const first = await save('openid', 'email')
    const second = await save('profile', 'openid')
    assert.deepEqual([second.id, second.scopes], [first.id, 'openid email profile'])
    assert.equal((await findConsent(service().context.database, { userId, clientId }))?.scopes, 'openid email profile')
  })

  test('saveConsent loses no scope of ten concurrent consents', async () => {
    const { save, userId, clientId } = await scene()
    const scopes = Array.from({ length: 10 }, (_, index) => `scope-${index}`)
    await Promise.all(scopes.map((scope) => save(scope)))
    const consent = await findConsent(service().context.database, { userId, clientId })
    assert.deepEqual(consent?.scopes.split(' ').toSorted(), scopes)
  })

  test('saveConsent throws OAUTH_CLIENT_NOT_FOUND for a deleted client', async () => {
    const { userId } = await scene()
    const saved = inTransaction(service().context, OPERATOR, (unit) =>
      saveConsent(unit, { userId, clientId: 'cli_deleted', scopes: ['openid'] }),
    )
    await assert.rejects(saved, { code: 'OAUTH_CLIENT_NOT_FOUND' })
  })
})
