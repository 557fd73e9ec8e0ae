import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administrator, newEmail, PASSWORD } from '../../../test/support/users.ts'
import { PasswordsBusy } from '../crypto/passwords.ts'
import { createHold } from './hold-refusals.ts'

onEachDatabase('While too many passwords wait to be hashed', (service) => {
  const signIn = (email: string, password = PASSWORD) =>
    service().client().post('/api/auth/sign-in/email', { email, password })

  test('known and unknown addresses are refused alike, after the time they are to wait, and no guess is spent', async (t) => {
    const { email } = await administrator(service())
    const { passwords } = service().context
    const full = t.mock.method(passwords, 'assertNotBusy', () => {
      throw new PasswordsBusy()
    })
    const hashing = t.mock.method(passwords, 'verify')
    const startedAt = performance.now()
    const refused = await Promise.all(
      Array.from({ length: 25 }, (_nothing, index) => signIn(index % 2 === 0 ? email : newEmail())),
    )
    // Timers may be early by a fraction of a millisecond.
    assert.ok(performance.now() - startedAt > 999)
    assert.equal(hashing.mock.callCount(), 0)
    for (const { status, body, headers } of refused) {
      assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'SERVICE_UNAVAILABLE', '1'])
    }
    const wrongly = await Promise.all(Array.from({ length: 25 }, () => signIn(email, 'a wrong password')))
    assert.ok(wrongly.every(({ status }) => status === 503))
    full.mock.restore()
    assert.equal((await signIn(email)).status, 200)
  })
})

test('No more than a thousand refusals are held: the next one is answered at once', async () => {
  const hold = createHold()
  const order: string[] = []
  const held = Array.from({ length: 1_000 }, () => hold(0.02).then(() => order.push('held')))
  await hold(0.02).then(() => order.push('one more'))
  await Promise.all(held)
  assert.deepEqual([order.length, order[0]], [1_001, 'one more'])
})
