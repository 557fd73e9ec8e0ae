import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertTestClient } from '../../../test/support/oauth-clients.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administrator, newMember } from '../../../test/support/users.ts'
import { OPERATOR } from '../audit/actor.ts'
import { inTransaction } from '../in-transaction.ts'
import { deleteConsent, findConsent, isAllowed, saveConsent } from './store.ts'

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

  test('saveConsent lets a user allow 100 clients that registered themselves, also concurrently, and others too', async () => {
    const { context } = service()
    const [{ id: userId }, { id: otherId }] = [await newMember(service()), await newMember(service())]
    const allow = (clientId: string, by = userId) =>
      inTransaction(context, OPERATOR, (unit) =>
        saveConsent(unit, { userId: by, clientId, scopes: ['email'], organizationId: null }),
      )
    const newClients = (count: number) => Promise.all(Array.from({ length: count }, () => insertTestClient(service())))
    const first = await insertTestClient(service())
    for (const { id } of [first, ...(await newClients(97))]) await allow(id)
    const allowOfStaff = async () => allow((await insertTestClient(service(), {}, { createdBy: userId })).id)
    await allowOfStaff()
    const outcomes = await Promise.allSettled((await newClients(5)).map(({ id }) => allow(id)))
    const refusals = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason.code)
    assert.deepEqual(refusals, Array(3).fill('OAUTH_CONSENT_LIMIT_REACHED'))

    const { id: nextId } = await insertTestClient(service())
    await assert.rejects(allow(nextId), { code: 'OAUTH_CONSENT_LIMIT_REACHED' })
    await allow(nextId, otherId)
    await allow(first.id)
    await allowOfStaff()
    await deleteConsent(context.database, userId, { clientId: first.id })
    await allow(nextId)
  })

  test('saveConsent throws OAUTH_CLIENT_NOT_FOUND for a deleted client', async () => {
    const { userId } = await scene()
    const saved = inTransaction(service().context, OPERATOR, (unit) =>
      saveConsent(unit, { userId, clientId: 'cli_deleted', scopes: ['openid'], organizationId: null }),
    )
    await assert.rejects(saved, { code: 'OAUTH_CLIENT_NOT_FOUND' })
  })
})
