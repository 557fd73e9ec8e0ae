import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { planApiKeys } from './plan-api-keys.ts'
import type { Finding } from './report.ts'
import type { SourceApiKey } from './source-rows.ts'

const NOW = Date.UTC(2026, 10, 23)
const source = { id: 'key', referenceId: 'org_a', key: 'k'.repeat(43), createdAt: 1, updatedAt: 1 }

interface Circumstances {
  organizationId?: string
  userIds?: string[]
}

function plan(change: Partial<SourceApiKey>, { organizationId = 'org_a', userIds = ['1'] }: Circumstances = {}) {
  const owner = { id: 'mem_a', organizationId, userId: '1', role: 'owner', createdAt: 1, lastUsedAt: null } as const
  const findings: Finding[] = []
  const planned = planApiKeys(
    { now: () => NOW, randomBytes },
    owner,
    [{ ...source, ...change }],
    (id) => userIds.includes(id),
    (finding) => findings.push(finding),
  )
  return { rows: planned, problems: findings.map(({ problem }) => problem) }
}

test('An API key is not imported when a user of the source has its id, or that of its organization', () => {
  assert.equal(plan({}).rows.length, 1)
  assert.deepEqual(plan({}, { userIds: ['1', 'key'] }), { rows: [], problems: ['a user has the same id'] })
  const ambiguous = 'it belongs to an organization or to a user of the same id'
  assert.deepEqual(plan({}, { userIds: ['1', 'org_a'] }), { rows: [], problems: [ambiguous] })
})

test('An API key with an id like that of an app is not imported', () => {
  assert.deepEqual(plan({ id: 'cli_a' }), { rows: [], problems: ['the id begins with cli_, as only those of apps do'] })
})

test('An API key of an organization with a number is not imported, also when no user has that number', () => {
  const ambiguous = 'it may belong to a user with the number of the organization: create an API key here'
  assert.deepEqual(plan({}, { organizationId: '7' }), { rows: [], problems: [ambiguous] })
  assert.equal(plan({}, { organizationId: '7a' }).rows.length, 1)
})

test("An API key with an expiry that can't be read is not imported, and one without an expiry is", () => {
  const unreadable = { rows: [], problems: ["its expiry can't be read"] }
  for (const expiresAt of ['Sat Oct 24 2026 10:00:00 GMT+0000 (Coordinated Universal Time)', '', 'infinity', 8.64e15])
    assert.deepEqual(plan({ expiresAt }), unreadable, String(expiresAt))
  assert.deepEqual(plan({ expiresAt: '2024-01-01 00:00:00+00' }), { rows: [], problems: ['it has expired'] })
  assert.equal(plan({ expiresAt: '2027-01-01 00:00:00+00' }).rows[0]?.expiresAt, Date.UTC(2027, 0, 1))
  for (const expiresAt of [null, undefined]) assert.equal(plan({ expiresAt }).rows[0]?.expiresAt, null)
})

test('An API key is imported with its name, also with a web address, and a replaced name is listed', () => {
  const address = plan({ name: 'see example.com' })
  assert.deepEqual([address.rows[0]?.name, address.problems], ['see example.com', []])
  const replaced = plan({ name: 'Payroll\u0007' })
  assert.deepEqual(replaced.problems, ['the name is refused, and "API key" replaces it'])
  assert.equal(replaced.rows[0]?.name, 'API key')
  for (const name of [null, undefined, '']) assert.deepEqual(plan({ name }).problems, [])
})

test('An API key with permissions or a quota is not imported', () => {
  const [permissions] = plan({ permissions: '{"files":["read"]}' }).problems
  assert.equal(permissions, 'it has permissions, which Accounts does not have for API keys')
  const quota = { rows: [], problems: ['it has a quota, which Accounts does not have'] }
  for (const remaining of [0, 5]) assert.deepEqual(plan({ remaining }), quota)
  assert.equal(plan({ remaining: null, permissions: null }).rows.length, 1)
})
