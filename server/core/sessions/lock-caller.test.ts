import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConcurrentStep, concurrently } from '../../../test/support/concurrently.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { newMember, PASSWORD, sessionOf } from '../../../test/support/users.ts'

onEachDatabase('Locks of a caller', (service) => {
  // The deletion of an organization locks its sessions in this order, and does not lock their users.
  test('A change that the newer of two sessions makes waits for the older one before it locks its own', async () => {
    const user = await newMember(service())
    const { client } = await sessionOf(service(), user)
    const sessions = service().context.database.selectFrom('sessions').select('id').where('userId', '=', user.id)
    const [older, newer] = await sessions.orderBy('id').execute()
    const lockStep = (id = ''): ConcurrentStep['begin'] => {
      return (transaction) => transaction.selectFrom('sessions').select('id').where('id', '=', id).forUpdate().execute()
    }
    const inOrder = { begin: lockStep(older?.id), finish: lockStep(newer?.id) }
    const setUp = () => client.post('/api/auth/two-factor/enable', { password: PASSWORD })
    assert.equal((await concurrently(service(), inOrder, setUp)).status, 200)
    const revoke = () => client.post('/api/auth/revoke-other-sessions', {})
    assert.equal((await concurrently(service(), inOrder, revoke)).status, 200)
  })
})
