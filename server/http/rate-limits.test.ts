import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newEmail } from '../../test/support/people.ts'
import { onEachDatabase, startService } from '../../test/support/service.ts'

onEachDatabase('Limits', (service) => {
  test('count an IPv6 network as one client, and let others go on', async () => {
    for (let count = 0; count < 30; count += 1)
      assert.equal((await guess(service().baseUrl, `2001:db8:7:7::${count.toString(16)}`)).status, 401)
    assert.equal((await guess(service().baseUrl, '2001:db8:7:7:ffff::1')).status, 429)
    assert.equal((await guess(service().baseUrl, '2001:db8:7:8::1')).status, 401)
  })

  test('count an address once, however the proxy writes it, and made-up text as the proxy’s own address', async () => {
    const spellings = [
      '203.0.113.77',
      '203.0.113.77:80',
      '[203.0.113.77]:81',
      '::ffff:203.0.113.77',
      '[::ffff:cb00:714d]:82',
    ]
    for (let count = 0; count < 30; count += 1)
      assert.equal((await guess(service().baseUrl, spellings[count % spellings.length] ?? '')).status, 401)
    assert.equal((await guess(service().baseUrl, '203.0.113.77:65535')).status, 429)
    const statuses: number[] = []
    for (let count = 0; count < 31; count += 1)
      statuses.push((await guess(service().baseUrl, `made-up-${count}`)).status)
    assert.equal(statuses.at(-1), 429)
  })

  test('believe only as many proxies as are trusted: a client can not choose its own address', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 31; count += 1)
      statuses.push((await guess(service().baseUrl, `198.51.100.${count}, 203.0.113.9`)).status)
    assert.equal(statuses.at(-1), 429)
  })
})

test('CVE-2026-43914: limits are one for all processes on one PostgreSQL, and outlast a restart', async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const other = await startService({ engine: 'postgres', beside: service })
  for (let count = 0; count < 15; count += 1) {
    assert.equal((await guess(service.baseUrl, '192.0.2.99')).status, 401)
    assert.equal((await guess(other.baseUrl, '192.0.2.99')).status, 401)
  }
  assert.equal((await guess(service.baseUrl, '192.0.2.99')).status, 429)
  await other.stop()
  const restarted = await startService({ engine: 'postgres', beside: service })
  t.after(() => restarted.stop())
  assert.equal((await guess(restarted.baseUrl, '192.0.2.99')).status, 429)
})

function guess(baseUrl: string, address: string): Promise<Response> {
  return fetch(`${baseUrl}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email: newEmail(), password: 'a wrong guess' }),
  })
}
