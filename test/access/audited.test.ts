import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUDIT_ACTIONS } from '../../server/core/audit/actions.ts'
import { assertAudited, CHANGES, user } from '../support/changes.ts'
import { operations } from '../support/operations.ts'
import { onEachDatabase } from '../support/service.ts'
import { linkIn, newEmail, tokenIn } from '../support/users.ts'

const AUTH = '/api/auth'

/** POST routes that change nothing. */
const READS = [
  `${AUTH}/get-session`,
  `${AUTH}/organization/check-slug`,
  `${AUTH}/organization/has-permission`,
  `${AUTH}/admin/has-permission`,
  `${AUTH}/admin/list-user-sessions`,
  '/api/reset-password/passkeys',
  '/api/links/describe',
  // The route changes only the last use of the key, which api-key/list returns.
  `${AUTH}/api-key/verify`,
  // The choice is for one authorization, which has its own audit event.
  `${AUTH}/oauth2/choose-organization`,
]

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
    assert.deepEqual([...Object.keys(CHANGES), ...READS].sort(), changing.sort())
  })

  test('Every change inserts an audit event with the request id, and together they record every action but OTHER_ACTIONS', async () => {
    const { database } = service().context
    for (const [path, call] of Object.entries(CHANGES)) {
      const answer = await call(service())
      if (path !== '/api/setup') await assertAudited(service(), path, answer)
    }
    const events = await database.selectFrom('auditEvents').select('action').distinct().execute()
    const recorded = new Set(events.map(({ action }) => action))
    assert.deepEqual(
      AUDIT_ACTIONS.filter((action) => !recorded.has(action)),
      OTHER_ACTIONS,
    )
  })

  test('verify-email and delete-user/callback, which change data by GET, insert an audit event with the request id', async () => {
    const { client, email } = await user(service())
    const address = newEmail()
    await client.post(`${AUTH}/change-email`, { newEmail: address })
    const changed = await client.get(`${AUTH}/verify-email?token=${await tokenIn(service(), address)}`)
    await assertAudited(service(), 'verify-email', changed)
    assert.ok(await linkIn(service(), email))

    const deletedUser = await user(service())
    await deletedUser.client.post(`${AUTH}/delete-user`)
    const token = await tokenIn(service(), deletedUser.email)
    const deleted = await deletedUser.client.get(`${AUTH}/delete-user/callback?token=${token}`)
    await assertAudited(service(), 'delete-user/callback', deleted)
  })
})
