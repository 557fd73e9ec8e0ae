import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { clientAddress, networksOf, parseAddress } from './client-address.ts'

describe('client addresses', () => {
  test('parseAddress returns one canonical form for every form of a proxy or a socket', () => {
    const canonical = {
      '192.0.2.7': '192.0.2.7',
      ' 192.0.2.7 ': '192.0.2.7',
      '192.0.2.7:51234': '192.0.2.7',
      '[192.0.2.7]:51234': '192.0.2.7',
      '::ffff:192.0.2.7': '192.0.2.7',
      '::FFFF:c000:0207': '192.0.2.7',
      '[::ffff:192.0.2.7]:51234': '192.0.2.7',
      '2001:0DB8:0:0:0:0:0:1': '2001:db8::1',
      '[2001:db8::1]': '2001:db8::1',
      '[2001:db8::1]:443': '2001:db8::1',
      'fe80::1%eth0': 'fe80::1',
      '[fe80::1%25eth0]:443': 'fe80::1',
      '::1': '::1',
    }
    for (const [text, address] of Object.entries(canonical)) assert.equal(parseAddress(text), address, text)
  })

  test('parseAddress returns undefined for text that only looks like an address', () => {
    const texts = [
      '',
      'unknown',
      '_hidden',
      '192.0.2',
      '192.0.2.256',
      '192.0.2.007',
      '0x7f.0.0.1',
      '3221225991',
      '192.0.2.7:port',
      '192.0.2.7:1:2',
      '[192.0.2.7',
      '2001:db8::1::2',
      '2001:db8::g',
      '192.0.2.7/24',
      '192.0.2.7\n198.51.100.1',
      `fe80::1%${'x'.repeat(200)}`,
      '1'.repeat(16_000),
    ]
    for (const text of texts) assert.equal(parseAddress(text), undefined, JSON.stringify(text.slice(0, 40)))
  })

  test('clientAddress uses the address of the socket when the header has none', () => {
    const addressOf = (ip: string | undefined, remoteAddress: string | undefined) =>
      clientAddress({ ip, socket: { remoteAddress } })
    assert.equal(addressOf('192.0.2.7:80', '127.0.0.1'), '192.0.2.7')
    assert.equal(addressOf('made up', '::ffff:127.0.0.1'), '127.0.0.1')
    assert.equal(addressOf('made up', undefined), null)
    assert.equal(addressOf(undefined, undefined), null)
  })

  test('networksOf returns the IPv4 address, or the /64 and /48 of an IPv6 address', () => {
    assert.deepEqual(networksOf('192.0.2.7'), { network: '192.0.2.7' })
    assert.deepEqual(networksOf(null), { network: 'unknown' })
    const office = { network: '2001:db8:1:2::/64', site: '2001:db8:1::/48' }
    for (const address of ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::1']) assert.deepEqual(networksOf(address), office)
    assert.deepEqual(networksOf('2001:db8:1:3::1'), { ...office, network: '2001:db8:1:3::/64' })
    assert.deepEqual(networksOf('::1'), { network: '0:0:0:0::/64', site: '0:0:0::/48' })
  })
})
