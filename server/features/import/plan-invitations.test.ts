import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { DAY_MILLISECONDS } from '../../platform/time/time-units.ts'
import { planInvitations } from './plan-invitations.ts'

const NOW = Date.UTC(2026, 10, 28)

test('An imported invitation keeps its expiry, which is 7 days from the import at the latest', () => {
  const invitation = { id: 'inv', email: 'hire@example.com', role: 'member', status: 'pending', inviterId: '1' }
  const owner = {
    id: 'mem',
    organizationId: 'org',
    userId: '1',
    role: 'owner',
    createdAt: 1,
    lastUsedAt: null,
  } as const
  const daysLeft = (days: number) => {
    const source = [{ ...invitation, expiresAt: new Date(NOW + days * DAY_MILLISECONDS).toISOString() }]
    const planned = planInvitations({ now: () => NOW, randomBytes }, 'org', source, [owner], () => {})
    return planned.map(({ expiresAt }) => (expiresAt - NOW) / DAY_MILLISECONDS)
  }
  assert.deepEqual([0, 2, 30].map(daysLeft), [[], [2], [7]])
})
