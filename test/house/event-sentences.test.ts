import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUDIT_ACTIONS } from '../../server/core/audit/actions.ts'
import { eventSentence } from '../../web/organizations/event-sentence.ts'
import { eventSentence as staffSentence } from '../../web/staff/common/event-sentence.ts'

const OF_ORGANIZATION =
  /^(api-key|invitation|member|oauth-client|oauth-logout|oauth-token|organization)\.|^(access.refused|limit.reached)$/

const EVENT = {
  id: 'evt_1',
  createdAt: '2026-11-25T12:00:00.000Z',
  actorId: 'usr_1',
  actorName: 'Ada',
  byStaff: false,
  subjectId: 'usr_2',
  subjectName: 'Hilda',
  ipAddress: null,
  details: { role: 'member', name: 'Graphs', fields: 'name', route: '/api/auth/organization/delete' },
}

test('The pages of an organization have a sentence without technical names for each of its events', () => {
  // Without the organization, no page shows it.
  const actions = AUDIT_ACTIONS.filter((action) => OF_ORGANIZATION.test(action) && action !== 'organization.deleted')
  assert.ok(actions.length > 20)
  const technical = actions.map((action) => eventSentence({ ...EVENT, action }, 'usr_9'))
  assert.deepEqual(
    technical.filter((sentence) => /[a-z][./][a-z]|undefined/.test(sentence)),
    [],
  )
  const updated = { ...EVENT, action: 'organization.updated' as const, details: { fields: 'name, requireTwoFactor' } }
  assert.equal(eventSentence(updated, 'usr_9'), 'Ada changed the organization: name, two-step verification.')
  const refused = { ...EVENT, action: 'access.refused' as const }
  assert.equal(eventSentence(refused, EVENT.actorId), 'You tried an action that was refused.')
  const refusedKey = { ...refused, actorId: null, actorName: null, subjectId: 'apk_1', subjectName: 'Payroll' }
  assert.equal(eventSentence(refusedKey, 'usr_9'), 'The API key Payroll tried an action that was refused.')
  const deletedKey = { ...refusedKey, subjectName: null }
  assert.equal(eventSentence(deletedKey, 'usr_9'), 'A deleted API key tried an action that was refused.')
  const app = { route: '/api/auth/oauth2/token', code: 'invalid_client', name: 'Graphs' }
  const refusedApp = { ...refusedKey, subjectId: null, subjectName: null, details: app }
  assert.equal(eventSentence(refusedApp, 'usr_9'), 'The app “Graphs” tried an action that was refused.')
})

test('The pages of the staff say which key, app or user was refused, at which route, and how often', () => {
  const ofKey = { actorId: null, actorName: null, subjectId: 'apk_1', subjectName: 'Payroll' }
  const ofStaff = { ipAddress: '192.0.2.1', impersonatedBy: null, userAgent: null, organizationName: null }
  const shown = { ...EVENT, action: 'access.refused' as const, ...ofKey, ...ofStaff }
  assert.equal(staffSentence(shown), 'The API key Payroll was refused at /api/auth/organization/delete')
  const refusedOften = { ...shown, details: { ...shown.details, count: 12_345 } }
  assert.match(staffSentence(refusedOften), /, 12,345 times$/)
  const bannedUser = {
    ...shown,
    subjectName: 'Hilda',
    details: { route: '/api/auth/sign-in/email', code: 'BANNED_USER' },
  }
  assert.equal(staffSentence(bannedUser), 'The banned user Hilda was refused at /api/auth/sign-in/email')
  const app = { ...shown, subjectId: null, subjectName: null }
  const refusedApp = { ...app, details: { route: '/api/auth/oauth2/token', code: 'invalid_client', name: 'Graphs' } }
  assert.equal(staffSentence(refusedApp), 'The app Graphs was refused at /api/auth/oauth2/token')
  const unknownApp = { ...app, details: { route: '/api/auth/oauth2/token', code: 'invalid_client' } }
  assert.equal(staffSentence(unknownApp), 'An unknown app was refused at /api/auth/oauth2/token')
  const unknownKey = { ...shown, subjectId: null, subjectName: null }
  assert.match(staffSentence(unknownKey), /^A browser without a session was refused at/)
})

test('A name of letters from right to left does not reorder what follows it in a sentence of the staff', () => {
  const name = 'דוד'
  const ofStaff = { impersonatedBy: null, userAgent: null, organizationName: name }
  const removed = { ...EVENT, action: 'member.removed' as const, actorName: name, subjectName: name }
  const shown = { ...removed, ...ofStaff, details: { count: 3, reason: name } }
  const isolatedName = `\u2068${name}\u2069`
  assert.equal(
    staffSentence(shown),
    `${isolatedName} removed the member ${isolatedName} in ${isolatedName}, 3 times: ${isolatedName}`,
  )
})

test('The pages of an organization and of the staff tell an invitation from one that is sent again', () => {
  const invited = { ...EVENT, action: 'invitation.created' as const, subjectName: 'hilda@example.com' }
  const again = { ...invited, details: { ...EVENT.details, resend: true } }
  const ofStaff = { impersonatedBy: null, userAgent: null, organizationName: 'Example Works' }
  assert.equal(eventSentence(invited, 'usr_9'), 'Ada invited hilda@example.com as a member.')
  assert.equal(staffSentence({ ...invited, ...ofStaff }), 'Ada invited hilda@example.com in Example Works')
  assert.equal(eventSentence(again, 'usr_9'), 'Ada sent the invitation of hilda@example.com again.')
  assert.equal(
    staffSentence({ ...again, ...ofStaff }),
    'Ada sent the invitation of hilda@example.com again in Example Works',
  )
})

test('The pages do not say that staff who delete a user left the organization of the user', () => {
  const deleted = { ...EVENT, action: 'member.left' as const, subjectName: null }
  const byStaff = { ...deleted, actorId: null, actorName: null, byStaff: true }
  assert.equal(eventSentence(byStaff, 'usr_9'), 'The staff of this service removed a deleted user.')
  const shown = { ...deleted, impersonatedBy: null, userAgent: null, organizationName: 'Example Works' }
  assert.equal(staffSentence(shown), 'Ada removed the member deleted usr_2 in Example Works')
  const own = { ...shown, subjectId: 'usr_1', subjectName: 'Ada' }
  assert.equal(staffSentence(own), 'Ada left Example Works')
  assert.equal(eventSentence({ ...own, subjectId: 'usr_1' }, 'usr_9'), 'Ada left the organization.')
})
