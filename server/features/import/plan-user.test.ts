import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { planUser } from './plan-user.ts'

test('A reason of a ban that is refused is listed, and the user stays banned', () => {
  const plan = (banReason: string | null) => {
    const user = { id: 'usr_ada', name: 'Ada', email: 'ada@example.com', emailVerified: 1, createdAt: 1, updatedAt: 1 }
    const rows = { accounts: [], passkeys: [], twoFactors: [] }
    const randomness = { now: () => Date.UTC(2026, 10, 28), randomBytes }
    const planned = planUser(randomness, { ...user, banned: 1, banReason, ...rows }, () => undefined)
    assert.ok('user' in planned)
    const problems = planned.findings.map(({ problem }) => problem).filter((problem) => problem.includes('ban'))
    return [planned.user.banned, planned.user.banReason, ...problems]
  }
  for (const reason of ['Spam\nand fraud', 'a'.repeat(501)])
    assert.deepEqual(plan(reason), [1, null, 'the reason of the ban is refused, and is not imported'])
  assert.deepEqual(plan('Spam'), [1, 'Spam'])
  for (const none of [null, '']) assert.deepEqual(plan(none), [1, null])
})
