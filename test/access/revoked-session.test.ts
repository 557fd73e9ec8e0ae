import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessRuleOf } from '../../server/core/access/access-rules.ts'
import { CHANGES } from '../support/changes.ts'
import { endingSessions } from '../support/concurrently.ts'
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

/** One route of each way to end, to replace or to use the session. */
const WITH_REPLACED_TOKEN = [
  `${AUTH}/admin/ban-user`,
  `${AUTH}/api-key/create`,
  `${AUTH}/change-email`,
  `${AUTH}/change-password`,
  `${AUTH}/delete-user`,
  `${AUTH}/oauth2/consent`,
  `${AUTH}/revoke-other-sessions`,
  `${AUTH}/revoke-sessions`,
  `${AUTH}/two-factor/disable`,
  `${AUTH}/two-factor/enable`,
  `${AUTH}/two-factor/send-otp`,
  `${AUTH}/update-user`,
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
    test(`${path} changes nothing in a session that is revoked before the transaction`, () =>
      assertRefused(path, change, 'revoked'))
  }

  for (const path of WITH_REPLACED_TOKEN)
    test(`${path} changes nothing with a token that a step-up replaces before the transaction`, () =>
      assertRefused(path, CHANGES[path], 'token replaced'))

  async function assertRefused(
    path: string,
    change: (typeof CHANGES)[string] | undefined,
    ending: 'revoked' | 'token replaced',
  ): Promise<void> {
    assert.ok(change, path)
    const { status, headers, body } = await endingSessions(service(), { path, ending }, () => change(service()))
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
  }
})
