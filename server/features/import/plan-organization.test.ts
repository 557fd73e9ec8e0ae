import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { planOrganization } from './plan-organization.ts'
import { addFindings, createReport, describeReport } from './report.ts'

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

test('The printed report has one problem for all organizations with a refused slug, and the first ten of them', () => {
  const report = createReport()
  for (let number = 1; number <= 12; number += 1) {
    const source = {
      id: `org_${number}`,
      name: 'Works',
      slug: `Works_${number}`,
      createdAt: 1e12,
      members: [],
      invitations: [],
      apiKeys: [],
    }
    const planned = planOrganization({ now: Date.now, randomBytes }, source, {
      sourceUserIds: new Set(),
      userIds: new Set(),
    })
    assert.ok('problem' in planned)
    addFindings(report, [planned])
  }
  const text = describeReport(report)
  assert.match(
    text,
    /organization: the slug is not one that Accounts accepts: .+ \(12\)\n {4}org_1 with the slug "Works_1", /,
  )
  assert.match(text, / and 2 more$/)
})
