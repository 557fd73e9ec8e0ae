import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { encodeCBOR } from '@levischuck/tiny-cbor'
import { newKeyPair, toCose } from '../../../test/support/cose-keys.ts'
import { planOrganization } from './plan-organization.ts'
import { planUser } from './plan-user.ts'

const randomness = { now: () => 1, randomBytes }
const times = { createdAt: 1, updatedAt: 1 }

function listOf<Row>(length: number, toRow: (id: number) => Row): Row[] {
  return Array.from({ length }, (_, id) => toRow(id))
}

test('All passkeys of a user come, and more than the limit are listed', () => {
  const publicKey = Buffer.from(encodeCBOR(toCose(newKeyPair(-7, 0).publicKey, -7))).toString('base64')
  const plan = (count: number) => {
    const passkeys = listOf(count, (id) => ({
      id,
      publicKey,
      credentialID: Buffer.from(`credential ${id}`).toString('base64url'),
      counter: 0,
      deviceType: 'singleDevice',
      backedUp: false,
    }))
    const source = { id: 'usr_ada', name: 'Ada', email: 'ada@example.com', emailVerified: true, ...times }
    const planned = planUser(randomness, { ...source, accounts: [], twoFactors: [], passkeys })
    assert.ok('user' in planned)
    assert.equal(planned.passkeys.length, count)
    return planned.findings.map(({ problem }) => problem)
  }
  assert.deepEqual(plan(100), [])
  assert.deepEqual(plan(101), [
    'there are more passkeys than the limit of 100: all come, and no other one can be added',
  ])
})

test('All members and API keys of an organization come, and more than the limits are listed', () => {
  const plan = (memberCount: number, keyCount: number) => {
    const planned = planOrganization(
      randomness,
      {
        id: 'org_works',
        name: 'Works',
        slug: 'works',
        createdAt: 1,
        members: listOf(memberCount, (id) => ({ id, userId: `usr_${id}`, role: 'owner', createdAt: 1 })),
        invitations: [],
        apiKeys: listOf(keyCount, (id) => ({ id, referenceId: 'org_works', key: 'k'.repeat(43), ...times })),
      },
      (id) => id.startsWith('usr_'),
    )
    assert.ok('organization' in planned)
    const { members, apiKeys, findings } = planned
    assert.deepEqual([members.length, apiKeys.length], [memberCount, keyCount])
    return findings.map(({ problem }) => problem)
  }
  assert.deepEqual(plan(50_000, 1_000), [])
  assert.deepEqual(plan(50_001, 1_001), [
    'there are more members than the limit of 50000: all come, and nobody can join',
    'there are more API keys than the limit of 1000: all come, and no other one can be created',
  ])
})
