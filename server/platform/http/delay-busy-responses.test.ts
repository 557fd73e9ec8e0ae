import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administrator, newEmail, PASSWORD } from '../../../test/support/users.ts'
import { TooManyWaiting } from '../crypto/passwords.ts'
import { createBusyDelay } from './delay-busy-responses.ts'

onEachDatabase('flood protection', (service) => {
  const signIn = (email: string, password = PASSWORD) =>
    service().client().post('/api/auth/sign-in/email', { email, password })

  test('sign-in returns 503 after its Retry-After and counts no guess while the hashing queue is full, for known and unknown email addresses', async (t) => {
    const { email } = await administrator(service())
    const { passwords } = service().context
    const full = t.mock.method(passwords, 'assertNotBusy', () => {
      throw new TooManyWaiting()
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

test('createBusyDelay delays at most 1,000 responses at a time', async () => {
  const delay = createBusyDelay()
  for (const flood of ['first', 'second']) {
    const order: string[] = []
    const delayed = Array.from({ length: 1_000 }, () => delay(0.02).then(() => order.push('delayed')))
    await delay(0.02).then(() => order.push('one more'))
    await Promise.all(delayed)
    assert.deepEqual([order.length, order[0]], [1_001, 'one more'], `in the ${flood} flood`)
  }
})
