import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { planApiKeys } from './plan-api-keys.ts'
import type { Finding } from './report.ts'

const owner = { id: 'mem_a', organizationId: '7', userId: '1', role: 'owner', createdAt: 1, lastUsedAt: null } as const
const source = { id: '8', referenceId: '7', key: 'k'.repeat(43), createdAt: 1, updatedAt: 1 }

function plan(userIds: string[]) {
  const findings: Finding[] = []
  const planned = planApiKeys(
    { now: Date.now, randomBytes },
    owner,
    [source],
    (id) => userIds.includes(id),
    (finding) => findings.push(finding),
  )
  return { ids: planned.map(({ id }) => id), problems: findings.map(({ problem }) => problem) }
}

test('An API key does not come when a user has its id, or that of its organization', () => {
  assert.deepEqual(plan(['1']), { ids: ['8'], problems: [] })
  assert.deepEqual(plan(['1', '8']), { ids: [], problems: ['a user has the same id'] })
  const ambiguous = 'it belongs to an organization or to a user of the same id'
  assert.deepEqual(plan(['1', '7']), { ids: [], problems: [ambiguous] })
})
