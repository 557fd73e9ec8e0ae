import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicAddress } from './public-address.ts'

test('isPublicAddress accepts addresses of the public Internet only', () => {
  const accepted = ['8.8.8.8', '93.184.216.34', '172.15.0.1', '100.63.255.255', '2606:4700::1111', '2a00:1450::1']
  assert.deepEqual(accepted.filter(isPublicAddress), accepted)
})

for (const [use, addresses] of Object.entries({
  'this host': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'private networks': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1', 'fec0::1'],
  'links, with cloud metadata': ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'fd00:ec2::254'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  broadcast: ['255.255.255.255', '240.0.0.1'],
  'documentation and benchmarks': ['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '2001:db8::1', '3fff::1'],
  'protocol assignments': ['192.0.0.1', '192.0.0.170', '2001::1', '2001:1::1', '100::1', '5f00::1'],
  'IPv4 in IPv6': ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::7f00:1', '2002:7f00:1::', '::ffff:0:7f00:1'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1'],
  'no address': ['', 'localhost', '127.1', '0x7f.0.0.1', '8.8.8.8.8', '8.8.8.8 '],
}))
  test(`isPublicAddress refuses ${use}`, () => {
    assert.deepEqual(addresses.filter(isPublicAddress), [])
  })
