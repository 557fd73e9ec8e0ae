import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { encodeCBOR } from '@levischuck/tiny-cbor'
import { newKeyPair, toCose } from '../../../test/support/cose-keys.ts'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { openSource } from './open-source.ts'
import { planApiKeys } from './plan-api-keys.ts'
import { planUser } from './plan-user.ts'
import type { Finding } from './report.ts'
import type { SourceFlag } from './source-rows.ts'

const randomness = { now: () => Date.UTC(2026, 10, 28), randomBytes }
const FLAGS = ['emailVerified', 'banned', 'twoFactorEnabled', 'isAnonymous'] as const
const publicKey = Buffer.from(encodeCBOR(toCose(newKeyPair(-7, 0).publicKey, -7))).toString('base64')

type Flags = Partial<Record<(typeof FLAGS)[number], SourceFlag>>

/** A Better Auth on SQLite whose columns are all texts. */
async function createSource(t: TestContext) {
  const { url, drop } = await createTestDatabase('sqlite')
  const betterAuth = new DatabaseSync(url.slice('sqlite:'.length))
  const flags = FLAGS.map((name) => `"${name}" text`)
  betterAuth.exec(`create table "user" (id text, name text, email text, "createdAt" text, "updatedAt" text, ${flags});
    create table account (id text, "userId" text, "providerId" text);
    create table passkey (id text, "userId" text, "publicKey" text, "credentialID" text, counter text,
      "deviceType" text, "backedUp" text)`)
  t.after(async () => {
    betterAuth.close()
    await drop()
  })
  return { url, betterAuth }
}

function plan(flags: Flags) {
  const user = { id: 'usr_ada', name: 'Ada Lovelace', email: 'ada@example.com', createdAt: 1, updatedAt: 1 }
  const rows = { accounts: [], passkeys: [], twoFactors: [] }
  const planned = planUser(randomness, { ...user, emailVerified: true, ...flags, ...rows }, () => undefined)
  return 'user' in planned
    ? { user: planned.user, problems: planned.findings.map(({ problem }) => problem) }
    : { problems: [planned.problem] }
}

test('Numbers that a driver has stored in text columns are read: a ban, a second step and a passkey stay', async (t) => {
  const { url, betterAuth } = await createSource(t)
  const time = new Date(1e12).toISOString()
  betterAuth
    .prepare(`insert into "user" values ('usr_ada', 'Ada', 'ada@example.com', ?, ?, ?, ?, ?, ?)`)
    .run(time, time, 1, 1, 1, 0)
  betterAuth
    .prepare(`insert into passkey values ('psk_a', 'usr_ada', ?, 'Y3JlZGVudGlhbA', ?, 'singleDevice', ?)`)
    .run(publicKey, 5, 1)
  assert.equal(betterAuth.prepare('select banned from "user"').get()?.banned, '1.0')

  const source = await openSource(url)
  t.after(() => source.close())
  const [user] = (await Array.fromAsync(source.readUsers())).flat()
  assert.ok(user)
  const planned = planUser(randomness, user, () => undefined)
  assert.ok('user' in planned)
  assert.deepEqual([planned.user.emailVerified, planned.user.banned, planned.secondStep?.method], [1, 1, 'otp'])
  assert.deepEqual(
    planned.passkeys.map(({ counter, backedUp }) => [counter, backedUp]),
    [[5, 1]],
  )
})

test("A flag of a user that can't be read is listed, and never makes a sign-in easier", () => {
  const banned = plan({ banned: 'yes' })
  assert.equal(banned.user?.banned, 1)
  assert.ok(banned.problems.includes('the column "banned" can\'t be read: the user is banned'))
  const unverified = plan({ emailVerified: 'yes' })
  assert.equal(unverified.user?.emailVerified, 0)
  assert.ok(
    unverified.problems.includes('the column "emailVerified" can\'t be read: the email address is not verified'),
  )
  const careful = plan({ twoFactorEnabled: 'yes' })
  assert.equal(careful.user?.twoFactorEnabled, 1)
  assert.ok(careful.problems.includes('the column "twoFactorEnabled" can\'t be read: the user gets a second step'))
  assert.deepEqual(plan({ isAnonymous: 'yes' }), {
    problems: ['the column "isAnonymous" can\'t be read: anonymous users are not imported'],
  })
})

test("An API key whose flag can't be read is disabled and listed, and one without the flag is enabled", () => {
  const owner = { id: 'mem_a', organizationId: 'org_a', userId: 'usr_ada', createdAt: 1, lastUsedAt: null }
  const planKey = (enabled: SourceFlag) => {
    const findings: Finding[] = []
    const key = { id: 'key', referenceId: 'org_a', key: 'k'.repeat(43), createdAt: 1, updatedAt: 1, enabled }
    const [row] = planApiKeys(
      randomness,
      { ...owner, role: 'owner' },
      [key],
      () => false,
      (finding) => findings.push(finding),
    )
    return [row?.enabled, ...findings.map(({ problem }) => problem)]
  }
  assert.deepEqual(planKey('yes'), [0, 'the column "enabled" can\'t be read: the API key is disabled'])
  for (const enabled of [null, undefined, '1.0']) assert.deepEqual(planKey(enabled), [1])
  assert.deepEqual(planKey('0.0'), [0])
})

test("A passkey whose counter can't be read is listed with this reason", () => {
  const planCounter = (counter: number | string | null) => {
    const passkey = { id: 'psk_a', publicKey, credentialID: 'Y3JlZGVudGlhbA', deviceType: 'singleDevice', backedUp: 0 }
    const user = { id: 'usr_ada', name: 'Ada', email: 'ada@example.com', createdAt: 1, updatedAt: 1, emailVerified: 1 }
    const rows = { accounts: [], passkeys: [{ ...passkey, counter }], twoFactors: [] }
    const planned = planUser(randomness, { ...user, ...rows }, () => undefined)
    assert.ok('user' in planned)
    return planned.passkeys[0]?.counter ?? planned.findings.find(({ kind }) => kind === 'passkey')?.problem
  }
  for (const counter of [7, '7', '7.0']) assert.equal(planCounter(counter), 7)
  for (const counter of [null, '', 'seven', '7.5']) assert.equal(planCounter(counter), "its counter can't be read")
})
