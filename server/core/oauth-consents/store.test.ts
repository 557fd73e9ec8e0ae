import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertTestClient } from '../../../test/support/oauth-clients.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administrator } from '../../../test/support/users.ts'
import { OPERATOR } from '../audit/actor.ts'
import { inTransaction } from '../in-transaction.ts'
import { findConsent, isAllowed, saveConsent } from './store.ts'

onEachDatabase('oauth-consents', (service) => {
  const scene = async () => {
    const { id: userId } = await administrator(service())
    const { id: clientId } = await insertTestClient(service())
    const saveFor = (organizationId: string | null, ...scopes: string[]) =>
      inTransaction(service().context, OPERATOR, (unit) =>
        saveConsent(unit, { userId, clientId, scopes, organizationId }),
      )
    const save = (...scopes: string[]) => saveFor(null, ...scopes)
    return { userId, clientId, save, saveFor }
  }

  test('saveConsent adds the scopes to those of a former consent', async () => {
    const { userId, clientId, save } = await scene()
    const first = await save('openid', 'email')
    const second = await save('profile', 'openid')
    assert.deepEqual([second.id, second.scopes], [first.id, 'openid email profile'])
    assert.equal((await findConsent(service().context.database, { userId, clientId }))?.scopes, 'openid email profile')
  })

  test('saveConsent adds the organization to those of a former consent', async () => {
    const { userId, clientId, save, saveFor } = await scene()
    const organizationIds = ['org_1', 'org_2']
    for (const id of [...organizationIds, 'org_1']) await saveFor(id, 'openid', 'organization')
    await save('openid')
    const consent = await findConsent(service().context.database, { userId, clientId })
    assert.equal(consent?.organizationIds, 'org_1 org_2')
    const scopes = ['organization']
    for (const organizationId of [null, ...organizationIds]) assert.ok(isAllowed(consent, { scopes, organizationId }))
    assert.ok(!isAllowed(consent, { scopes, organizationId: 'org_3' }))
    assert.ok(!isAllowed(consent, { scopes: ['email'], organizationId: null }))
    assert.ok(!isAllowed(undefined, { scopes, organizationId: null }))
  })

  test('saveConsent removes what the user refuses, and organization with the last organization only', async () => {
    const { userId, clientId, saveFor } = await scene()
    for (const id of ['org_1', 'org_2']) await saveFor(id, 'openid', 'email', 'profile', 'organization')
    const refuse = (organizationId: string | null, ...scopes: string[]) =>
      inTransaction(service().context, OPERATOR, (unit) =>
        saveConsent(unit, {
          userId,
          clientId,
          scopes: ['openid'],
          organizationId: null,
          refused: { scopes, organizationId },
        }),
      )
    const read = ({ scopes, organizationIds }: { scopes: string; organizationIds: string }) => [scopes, organizationIds]
    assert.deepEqual(read(await refuse(null, 'email')), ['openid profile organization', 'org_1 org_2'])
    assert.deepEqual(read(await refuse('org_1', 'organization')), ['openid profile organization', 'org_2'])
    assert.deepEqual(read(await refuse('org_2', 'organization')), ['openid profile', ''])
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
      saveConsent(unit, { userId, clientId: 'cli_deleted', scopes: ['openid'], organizationId: null }),
    )
    await assert.rejects(saved, { code: 'OAUTH_CLIENT_NOT_FOUND' })
  })
})
