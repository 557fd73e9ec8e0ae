import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { planOrganization } from './plan-organization.ts'

test('The oldest owner counts as the creator of imported API keys, in any order of the members', () => {
  const members = [
    { id: '1', userId: 'usr_c', role: 'owner', createdAt: 2e12 },
    { id: '2', userId: 'usr_b', role: 'owner', createdAt: 1e12 },
    { id: '3', userId: 'usr_a', role: 'owner', createdAt: 1e12 },
    { id: '4', userId: 'usr_d', role: 'member', createdAt: 5e11 },
  ]
  const userIds = new Set(members.map(({ userId }) => userId))
  for (const ordered of [members, members.toReversed()]) {
    const planned = planOrganization(
      { now: () => Date.UTC(2026, 10, 28), randomBytes },
      {
        id: 'org_works',
        name: 'Works',
        slug: 'works',
        createdAt: 1e12,
        members: ordered,
        invitations: [],
        apiKeys: [{ id: 'key', referenceId: 'org_works', key: 'k'.repeat(43), createdAt: 1e12, updatedAt: 1e12 }],
      },
      { sourceUserIds: userIds, userIds },
    )
    assert.ok('organization' in planned)
    assert.deepEqual(
      planned.apiKeys.map(({ createdBy }) => createdBy),
      ['usr_a'],
    )
  }
})
