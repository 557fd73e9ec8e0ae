import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { encodeCBOR } from '@levischuck/tiny-cbor'
import { newKeyPair, toCose } from '../../../test/support/cose-keys.ts'
import { planOrganization } from './plan-organization.ts'
import { planUser } from './plan-user.ts'
import type { SourcePasskey } from './source-rows.ts'

const randomness = { now: () => 1, randomBytes }
const times = { createdAt: 1, updatedAt: 1 }

function listOf<Row>(length: number, toRow: (id: number) => Row): Row[] {
  return Array.from({ length }, (_, id) => toRow(id))
}

const publicKey = Buffer.from(encodeCBOR(toCose(newKeyPair(-7, 0).publicKey, -7))).toString('base64')

function planPasskeys(passkeys: Pick<SourcePasskey, 'credentialID' | 'publicKey' | 'name'>[]) {
  const source = { id: 'usr_ada', name: 'Ada', email: 'ada@example.com', emailVerified: true, ...times }
  const rest = { counter: 0, deviceType: 'singleDevice', backedUp: false }
  const rows = passkeys.map((passkey, index) => ({ id: String(index), ...passkey, ...rest }))
  const planned = planUser(randomness, { ...source, accounts: [], twoFactors: [], passkeys: rows }, () => undefined)
  assert.ok('user' in planned)
  return planned
}

test('All passkeys of a user are imported, and a number over the limit is listed', () => {
  const plan = (count: number) => {
    const credentialOf = (id: number) => Buffer.from(`credential ${id}`).toString('base64url')
    const planned = planPasskeys(listOf(count, (id) => ({ publicKey, credentialID: credentialOf(id) })))
    assert.equal(planned.passkeys.length, count)
    return planned.findings.map(({ problem }) => problem)
  }
  assert.deepEqual(plan(100), [])
  assert.deepEqual(plan(101), [
    'there are more passkeys than the limit of 100: all are imported, and no other one can be added',
  ])
})

test("A passkey that PostgreSQL can't store is listed, and the others of the user are imported", () => {
  const idOf = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64url')
  const { passkeys, findings } = planPasskeys([
    { publicKey, credentialID: idOf(1_023) },
    { publicKey, credentialID: idOf(1_024) },
    { publicKey: `${publicKey}\0`, credentialID: idOf(16) },
  ])
  assert.deepEqual(
    passkeys.map(({ credentialID }) => Buffer.from(credentialID, 'base64url').length),
    [1_023],
  )
  assert.deepEqual(
    findings.map(({ kind, id, problem }) => [kind, id, problem]),
    [
      ['passkey', '1', 'the credential id has more than 1,023 bytes'],
      ['passkey', '2', 'the key is damaged, or its algorithm is none that Accounts accepts'],
    ],
  )
})

test('The name of a passkey that is refused is listed, and one without a name is not', () => {
  const credentialID = Buffer.from('credential').toString('base64url')
  const plan = (name: string | null) => {
    const { passkeys, findings } = planPasskeys([{ publicKey, credentialID, name }])
    return [passkeys[0]?.name, ...findings.map(({ kind, id, problem }) => `${kind} ${id}: ${problem}`)]
  }
  assert.deepEqual(plan('Laptop'), ['Laptop'])
  assert.deepEqual(plan('www.example.com'), ['Passkey', 'passkey 0: the name is refused, and "Passkey" replaces it'])
  for (const name of [null, '']) assert.deepEqual(plan(name), ['Passkey'])
})

test('All members and API keys of an organization are imported, and numbers over the limits are listed', () => {
  const userIds = new Set(listOf(50_001, (id) => `usr_${id}`))
  const plan = (memberCount: number, keyCount: number) => {
    const planned = planOrganization(
      randomness,
      {
        id: 'org_works',
        name: 'Works',
        slug: 'works',
        createdAt: 1,
        members: listOf(memberCount, (id) => ({ id: String(id), userId: `usr_${id}`, role: 'owner', createdAt: 1 })),
        invitations: [],
        apiKeys: listOf(keyCount, (id) => ({
          id: String(id),
          referenceId: 'org_works',
          key: 'k'.repeat(43),
          ...times,
        })),
      },
      { sourceUserIds: userIds, userIds },
    )
    assert.ok('organization' in planned)
    const { members, apiKeys, findings } = planned
    assert.deepEqual([members.length, apiKeys.length], [memberCount, keyCount])
    return findings.map(({ problem }) => problem)
  }
  assert.deepEqual(plan(50_000, 1_000), [])
  assert.deepEqual(plan(50_001, 1_001), [
    'there are more members than the limit of 50000: all are imported, and no other user can join',
    'there are more API keys than the limit of 1000: all are imported, and no other one can be created',
  ])
})
