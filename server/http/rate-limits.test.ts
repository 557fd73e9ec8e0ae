import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newEmail } from '../../test/support/people.ts'
import { onEachDatabase, startService } from '../../test/support/service.ts'
import { clientNetwork } from './rate-limits.ts'

describe('A client’s network', () => {
  test('is its address, or the /64 that it may choose addresses from', () => {
    const networks = {
      '192.0.2.7': '192.0.2.7',
      '::ffff:192.0.2.7': '192.0.2.7',
      '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
      '2001:db8:1:2::1': '2001:db8:1:2::/64',
      '2001:0db8:0001:0002:ffff::': '2001:db8:1:2::/64',
      '2001:db8::1': '2001:db8:0:0::/64',
      '::1': '0:0:0:0::/64',
      'fe80::1%eth0': 'fe80:0:0:0::/64',
      'not an address': 'not an address',
    }
    for (const [address, network] of Object.entries(networks)) assert.equal(clientNetwork(address), network, address)
  })
})

onEachDatabase('Limits', (service) => {
  test('count an IPv6 network as one client, and let others go on', async () => {
    for (let count = 0; count < 30; count += 1)
      assert.equal((await guess(service().baseUrl, `2001:db8:7:7::${count.toString(16)}`)).status, 401)
    assert.equal((await guess(service().baseUrl, '2001:db8:7:7:ffff::1')).status, 429)
    assert.equal((await guess(service().baseUrl, '2001:db8:7:8::1')).status, 401)
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
