import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineEvent } from '../../server/features/organizations/invitations/timeline.ts'
import { invitationState } from '../../web/organizations/describe-invitation.ts'

function stateAfter(...events: TimelineEvent[]): string {
  const at = new Date().toISOString()
  return invitationState({
    id: 'inv_x',
    email: 'hire@example.com',
    role: 'member',
    organizationId: 'org_x',
    inviterId: 'usr_x',
    status: 'pending',
    createdAt: at,
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    inviterMayInvite: true,
    timeline: events.map((event) => ({ event, at, answer: null })),
  })
}

test('An invitation that is sent again after its link was opened does not say that it is not opened', () => {
  assert.equal(stateAfter('queued', 'sent', 'opened', 'queued', 'sent'), 'Sent again')
  assert.equal(stateAfter('queued', 'sent', 'signed up', 'queued', 'sent'), 'Sent again')
})

test('An invitation whose link was opened before the sending was stored is an opened one', () => {
  assert.equal(stateAfter('queued', 'opened', 'sent'), 'Opened')
  assert.equal(stateAfter('queued', 'opened', 'signed up', 'sent'), 'Signed up, not joined yet')
})

test('An invitation whose link was never opened says so, also after it is sent again', () => {
  assert.equal(stateAfter('queued', 'sent'), 'Sent, not opened yet')
  assert.equal(stateAfter('queued', 'sent', 'queued', 'sent'), 'Sent, not opened yet')
})

test('An invitation that is sent again after its link was opened waits to be sent first', () => {
  assert.equal(stateAfter('queued', 'sent', 'opened', 'queued'), 'Waiting to be sent')
})
