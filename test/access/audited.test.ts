import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUDIT_ACTIONS } from '../../server/core/audit/actions.ts'
import { CHANGES, listEventsOf } from '../support/changes.ts'
import { operations } from '../support/operations.ts'
import { READS } from '../support/reads.ts'
import { onEachDatabase } from '../support/service.ts'
import { linkIn, newEmail, newMember, tokenIn } from '../support/users.ts'

const AUTH = '/api/auth'

/** The events of each call in test/support/changes.ts, and of the links that change data by GET. */
const EVENTS: Record<string, string[]> = {
  [`${AUTH}/sign-out`]: ['caller session.ended caller - {"sessionId":"ses"}'],
  [`${AUTH}/revoke-session`]: ['caller session.ended caller - {"sessionId":"ses"}'],
  [`${AUTH}/revoke-sessions`]: ['caller session.ended caller - {"count":1}'],
  [`${AUTH}/revoke-other-sessions`]: ['caller session.ended caller - {"count":1}'],
  [`${AUTH}/update-session`]: ['caller session.updated caller - {"sessionId":"ses","fields":"theme"}'],
  [`${AUTH}/sign-in/email`]: ['caller session.started caller - {"sessionId":"ses","method":"password"}'],
  [`${AUTH}/sign-up/email`]: [
    'caller session.started caller - {"sessionId":"ses"}',
    'caller user.created caller - {"role":"user","origin":"invitation","emailVerified":true}',
  ],
  [`${AUTH}/change-password`]: [
    'caller password.changed caller - {}',
    'caller session.ended caller - {"count":1}',
    'caller session.started caller - {"sessionId":"ses"}',
  ],
  [`${AUTH}/verify-password`]: ['caller session.refreshed caller - {"sessionId":"ses"}'],
  [`${AUTH}/request-password-reset`]: ['- password.reset-requested usr - {"count":1}'],
  [`${AUTH}/reset-password`]: ['caller password.set caller - {}', 'caller session.ended caller - {"count":1}'],
  [`${AUTH}/send-verification-email`]: ['- email.verification-requested usr - {"count":1}'],
  [`${AUTH}/change-email`]: ['caller email.change-requested caller - {}'],
  '/api/undo-change-email': ['caller email.change-undone caller - {}', 'caller session.ended caller - {"count":1}'],
  [`${AUTH}/update-user`]: ['caller user.updated caller - {"fields":"name"}'],
  [`${AUTH}/delete-user`]: [
    'caller member.left caller org {"role":"member","passedInvitations":0}',
    'caller session.ended caller - {"count":1}',
    'caller user.deleted caller - {"role":"user"}',
  ],
  [`${AUTH}/passkey/verify-registration`]: [
    'caller passkey.added caller - {"passkeyId":"psk","name":"Passkey","aaguid":"00000000-0000-0000-0000-000000000000"}',
  ],
  [`${AUTH}/passkey/verify-authentication`]: ['caller session.started caller - {"sessionId":"ses","method":"passkey"}'],
  [`${AUTH}/passkey/update-passkey`]: [
    'caller passkey.renamed caller - {"passkeyId":"psk","name":"Kitchen laptop","before":"Passkey"}',
  ],
  [`${AUTH}/passkey/delete-passkey`]: ['caller passkey.deleted caller - {"passkeyId":"psk","name":"Passkey"}'],
  // These events and `invitation.accepted` include the active organization of the session.
  [`${AUTH}/organization/create`]: ['caller organization.created - org {"slug":slug}'],
  [`${AUTH}/organization/set-active`]: [
    'caller session.updated caller - {"sessionId":"ses","activeOrganizationId":"org"}',
  ],
  [`${AUTH}/organization/update`]: ['caller organization.updated - org {"fields":"name","slug":slug}'],
  [`${AUTH}/organization/delete`]: [
    'caller organization.deleted - org {"slug":slug,"memberCount":1,"invitationCount":0,"apiKeyCount":0,"oauthClientCount":0}',
  ],
  [`${AUTH}/organization/leave`]: ['caller member.left caller org {"role":"member","passedInvitations":0}'],
  [`${AUTH}/organization/remove-member`]: ['caller member.removed usr org {"role":"member"}'],
  [`${AUTH}/organization/update-member-role`]: [
    'caller member.role-set usr org {"role":"admin","formerRole":"member"}',
  ],
  [`${AUTH}/organization/invite-member`]: ['caller invitation.created inv org {"role":"member","resend":false}'],
  [`${AUTH}/organization/invite-members`]: ['caller invitation.created inv org {"role":"member","resend":false}'],
  [`${AUTH}/organization/transfer-ownership`]: [
    'caller member.role-set caller org {"role":"admin","formerRole":"owner","reason":"ownership transferred"}',
    'caller member.role-set usr org {"role":"owner","formerRole":"member","reason":"ownership transferred"}',
  ],
  [`${AUTH}/organization/cancel-invitation`]: ['caller invitation.canceled inv org {}'],
  [`${AUTH}/organization/accept-invitation`]: ['caller invitation.accepted inv org {"role":"member"}'],
  [`${AUTH}/organization/reject-invitation`]: ['caller invitation.rejected inv org {}'],
  [`${AUTH}/api-key/create`]: ['caller api-key.created apk org {"name":"key","role":"member"}'],
  [`${AUTH}/api-key/rotate`]: [
    'caller api-key.rotated apk org {"name":"key","role":"member","replacedKeyId":"apk","overlapSeconds":86400}',
  ],
  [`${AUTH}/api-key/update`]: ['caller api-key.updated apk org {"name":"other"}'],
  [`${AUTH}/api-key/delete`]: ['caller api-key.deleted apk org {"name":"key","role":"member"}'],
  [`${AUTH}/oauth2/create-client`]: [
    'caller oauth-client.created cli org {"name":"App without a name","skipConsent":false}',
  ],
  [`${AUTH}/oauth2/update-client`]: [
    'caller oauth-client.updated cli org {"name":"App without a name","changed":"disabled","disabled":1}',
  ],
  [`${AUTH}/oauth2/client/rotate-secret`]: ['caller oauth-client.secret-rotated cli org {"name":"App without a name"}'],
  [`${AUTH}/oauth2/delete-client`]: ['caller oauth-client.deleted cli org {"name":"App without a name"}'],
  [`${AUTH}/oauth2/delete-consent`]: ['caller oauth-consent.revoked caller - {"clientId":"cli","name":"Grafana"}'],
  [`${AUTH}/oauth2/revoke-app`]: ['caller oauth-consent.revoked caller - {"clientId":"cli","name":"Grafana"}'],
  [`${AUTH}/oauth2/register`]: ['- oauth-client.created cli - {"name":"app.example.com","registered":true}'],
  [`${AUTH}/admin/create-user`]: ['caller user.created usr - {"role":"user","origin":"staff","emailVerified":false}'],
  [`${AUTH}/admin/create-organization`]: [
    'caller invitation.created inv org {"role":"owner","resend":false}',
    'caller organization.created - org {"slug":slug}',
  ],
  [`${AUTH}/admin/invite-owner`]: [
    'caller invitation.canceled inv org {}',
    'caller invitation.created inv org {"role":"owner","resend":false}',
  ],
  [`${AUTH}/admin/update-user`]: ['caller user.updated usr - {"fields":"name"}'],
  [`${AUTH}/admin/set-user-password`]: ['caller password.set usr - {}'],
  [`${AUTH}/admin/remove-user`]: ['caller user.deleted usr - {"role":"user"}'],
  [`${AUTH}/admin/set-role`]: ['caller user.role-set usr - {"role":"support","before":"user"}'],
  [`${AUTH}/admin/ban-user`]: ['caller user.banned usr - {"reason":null,"expiresAt":null}'],
  [`${AUTH}/admin/unban-user`]: ['caller user.unbanned usr - {}'],
  [`${AUTH}/admin/revoke-user-session`]: ['caller session.ended usr - {"sessionId":"ses"}'],
  [`${AUTH}/admin/revoke-user-sessions`]: ['caller session.ended usr - {"count":1}'],
  [`${AUTH}/admin/impersonate-user`]: [
    'caller impersonation.started usr - {"reason":null,"sessionId":"ses","expiresAt":time}',
  ],
  [`${AUTH}/admin/stop-impersonating`]: ['caller impersonation.ended usr - {"sessionId":"ses"}'],
  [`${AUTH}/admin/send-password-link`]: ['caller password.link-sent usr - {}'],
  [`${AUTH}/admin/reset-two-factor`]: ['caller two-factor.reset usr - {"reason":"Lost the phone"}'],
  [`${AUTH}/admin/send-test-email`]: ['caller email.test-sent eml - {}'],
  [`${AUTH}/admin/clear-throttle`]: ['caller limit.cleared caller - {"key":"change user caller"}'],
  [`${AUTH}/admin/retry-email`]: ['caller email.retried eml - {}'],
  [`${AUTH}/two-factor/enable`]: ['caller recovery-codes.created caller - {"method":"totp"}'],
  [`${AUTH}/two-factor/verify-totp`]: [
    'caller session.refreshed caller - {"sessionId":"ses"}',
    'caller trusted-device.added caller - {"deviceId":"tru"}',
    'caller two-factor.verified caller - {"method":"totp"}',
  ],
  [`${AUTH}/two-factor/send-otp`]: ['caller two-factor.code-sent caller - {}'],
  [`${AUTH}/two-factor/verify-otp`]: [
    'caller session.refreshed caller - {"sessionId":"ses"}',
    'caller two-factor.verified caller - {"method":"otp"}',
  ],
  [`${AUTH}/two-factor/verify-backup-code`]: [
    'caller recovery-code.used caller - {"remaining":9}',
    'caller session.refreshed caller - {"sessionId":"ses"}',
    'caller two-factor.verified caller - {"method":"recovery code"}',
  ],
  [`${AUTH}/two-factor/get-totp-uri`]: ['caller two-factor.secret-shown caller - {}'],
  [`${AUTH}/two-factor/generate-backup-codes`]: ['caller recovery-codes.created caller - {"method":"totp"}'],
  [`${AUTH}/two-factor/disable`]: [
    'caller session.refreshed caller - {"sessionId":"ses"}',
    'caller two-factor.disabled caller - {}',
  ],
  [`${AUTH}/two-factor/revoke-trusted-device`]: ['caller trusted-device.revoked caller - {"deviceId":"tru"}'],
  [`${AUTH}/oauth2/consent`]: [
    'caller oauth-consent.granted caller org {"clientId":"cli","name":"Grafana","scopes":"openid profile email organization"}',
  ],
  [`${AUTH}/device/approve`]: [
    'caller oauth-client.signed-in caller - {"clientId":"cli","name":"Grafana","sessionId":"ses"}',
  ],
  [`${AUTH}/device/deny`]: ['caller oauth-device.denied - - {"clientId":"cli","name":"Grafana"}'],
  'verify-email': ['caller email.changed caller - {}'],
  'delete-user/callback': [
    'caller member.left caller org {"role":"member","passedInvitations":0}',
    'caller session.ended caller - {"count":1}',
    'caller user.deleted caller - {"role":"user"}',
  ],
}

/** Refusals, commands, maintenance, and other ways to use the routes. */
const OTHER_ACTIONS = [
  'access.refused',
  'audit-log.purged',
  'database.moved',
  'database.restored',
  'email.verified',
  'limit.reached',
  'oauth-code.replayed',
  'oauth-grant.revoked',
  'oauth-logout.failed',
  'oauth-refresh.reused',
  'oauth-token.exchanged',
  'organization.deletion-started',
  'passkey.refused',
  'password.guess-failed',
  'secret.rotated',
  'sign-in.failed',
  'sign-in.second-step-due',
  'signing-key.created',
  'signing-key.withdrawn',
  'two-factor.enabled',
  'two-factor.failed',
  'two-factor.locked',
  'user.ban-expired',
  'user.deletion-requested',
]

onEachDatabase('Audit events of all routes', (service) => {
  test('Every POST route is in the list of reads or has a call in test/support/changes.ts', async () => {
    const changing = (await operations(service())).filter(({ method }) => method !== 'get').map(({ path }) => path)
    // The choice is for one authorization, which has its own audit event.
    const choice = `${AUTH}/oauth2/choose-organization`
    assert.deepEqual([...Object.keys(CHANGES), ...Object.keys(READS), choice].sort(), changing.sort())
  })

  test('Every audit action is in EVENTS or in OTHER_ACTIONS', () => {
    const recorded = new Set(Object.values(EVENTS).flatMap((events) => events.map((event) => event.split(' ')[1])))
    assert.deepEqual(
      AUDIT_ACTIONS.filter((action) => !recorded.has(action)),
      OTHER_ACTIONS,
    )
  })

  for (const [path, call] of Object.entries(CHANGES))
    test(`${path} inserts the audit events of EVENTS with the request id`, async () => {
      const answer = await call(service())
      // The call of /api/setup compares the events itself, because it needs a service without an administrator.
      if (path !== '/api/setup') assert.deepEqual(await listEventsOf(service(), answer), EVENTS[path])
    })

  test('verify-email and delete-user/callback, which change data by GET, insert audit events with the request id', async () => {
    const { client, email } = await newMember(service())
    const address = newEmail()
    await client.post(`${AUTH}/change-email`, { newEmail: address })
    const changed = await client.get(`${AUTH}/verify-email?token=${await tokenIn(service(), address)}`)
    assert.deepEqual(await listEventsOf(service(), changed), EVENTS['verify-email'])
    assert.ok(await linkIn(service(), email))

    const deletedUser = await newMember(service())
    await deletedUser.client.post(`${AUTH}/delete-user`)
    const token = await tokenIn(service(), deletedUser.email)
    const deleted = await deletedUser.client.get(`${AUTH}/delete-user/callback?token=${token}`)
    assert.deepEqual(await listEventsOf(service(), deleted), EVENTS['delete-user/callback'])
  })
})
