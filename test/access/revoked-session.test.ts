import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessRuleOf } from '../../server/core/access/access-rules.ts'
import { CHANGES } from '../support/changes.ts'
import { revokingSessions } from '../support/concurrently.ts'
import { onEachDatabase } from '../support/service.ts'

const AUTH = '/api/auth'
const WITHOUT_SESSION = [
  '/api/setup',
  '/api/undo-change-email',
  `${AUTH}/oauth2/register`,
  `${AUTH}/passkey/verify-authentication`,
  `${AUTH}/request-password-reset`,
  `${AUTH}/reset-password`,
  `${AUTH}/send-verification-email`,
  `${AUTH}/sign-in/email`,
  `${AUTH}/sign-out`,
  `${AUTH}/sign-up/email`,
  `${AUTH}/two-factor/send-otp`,
  `${AUTH}/two-factor/verify-backup-code`,
  `${AUTH}/two-factor/verify-otp`,
  `${AUTH}/two-factor/verify-totp`,
]

onEachDatabase('A session that is revoked between the check of access and the change', (service) => {
  test('The changing routes that are not tested here require no session', () => {
    const requiring = service().routes.filter(
      ({ method, access }) => method === 'POST' && accessRuleOf(access).session === 'required',
    )
    const paths = requiring.map(({ url }) => url)
    assert.deepEqual(
      WITHOUT_SESSION.filter((path) => paths.includes(path)),
      [],
    )
  })

  for (const [path, change] of Object.entries(CHANGES)) {
    if (WITHOUT_SESSION.includes(path)) continue
    test(`${path} changes nothing in a session that is revoked before the transaction`, async () => {
      const { status, headers, body } = await revokingSessions(service(), path, () => change(service()))
      assert.deepEqual([status, body.code], [401, 'UNAUTHORIZED'])
      const { context } = service()
      await context.repeatedEvents.save()
      const events = await context.database
        .selectFrom('auditEvents')
        .select('action')
        .where('requestId', '=', headers.get('x-request-id'))
        .where('action', 'not like', '%.refused')
        .execute()
      assert.deepEqual(events, [])
    })
  }
})
