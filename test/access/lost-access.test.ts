import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessRuleOf } from '../../server/core/access/access-rules.ts'
import type { Caller } from '../../server/core/access/caller.ts'
import type { OrganizationRole, ServiceRole, UserRow } from '../../server/platform/database/tables.ts'
import { CHANGES } from '../support/changes.ts'
import type { Answer } from '../support/client.ts'
import { beforeTransactions, endingSessions } from '../support/concurrently.ts'
import { tryToSignIn, userWithPasskey } from '../support/passkeys.ts'
import { onEachDatabase, type Service } from '../support/service.ts'

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

/** Asserts that a refused request has no audit event but that of the refusal. */
async function assertUnchanged({ context }: Service, { headers }: Answer): Promise<void> {
  await context.repeatedEvents.save()
  const events = await context.database
    .selectFrom('auditEvents')
    .select('action')
    .where('requestId', '=', headers.get('x-request-id'))
    .where('action', 'not like', '%.refused')
    .where('action', '!=', 'sign-in.failed')
    .execute()
  assert.deepEqual(events, [])
}

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

  // CHANGES has the sign-in, for which the route needs no session.
  for (const ending of ['revoked', 'token replaced'] as const)
    test(`passkey/verify-authentication starts no new session instead of a step-up when its session is ${ending} before the transaction`, async () => {
      const { client, authenticator } = await userWithPasskey(service())
      await assertRefused(`${AUTH}/passkey/verify-authentication`, () => tryToSignIn(client, authenticator), ending)
    })

  async function assertRefused(
    path: string,
    change: (typeof CHANGES)[string] | undefined,
    ending: 'revoked' | 'token replaced',
  ): Promise<void> {
    assert.ok(change, path)
    const answer = await endingSessions(service(), { path, ending }, () => change(service()))
    assert.deepEqual([answer.status, answer.body.code], [401, 'UNAUTHORIZED'])
    await assertUnchanged(service(), answer)
  }
})

onEachDatabase('A role that is lost between the check of access and the change', (service) => {
  test('A change is refused to staff and members who lose their role before the transaction', async () => {
    const { database } = service().context
    const setRoles = async (userId: string, [role, memberRole]: [ServiceRole, OrganizationRole]) => {
      await database.updateTable('users').set({ role }).where('id', '=', userId).execute()
      await database.updateTable('members').set({ role: memberRole }).where('userId', '=', userId).execute()
    }
    for (const [path, change] of Object.entries(CHANGES)) {
      const route = service().routes.find(({ method, url }) => method === 'POST' && url === path)
      if (!route || accessRuleOf(route.access).permission === null) continue
      // A member of any role may leave.
      if (path === `${AUTH}/organization/leave`) continue
      const demoted: UserRow[] = []
      const demote = async ({ user }: Caller) => {
        demoted.push(user)
        await setRoles(user.id, ['user', 'member'])
      }
      const answer = await beforeTransactions(service(), path, demote, () => change(service()))
      assert.deepEqual([answer.status, answer.body.code], [403, 'FORBIDDEN'], path)
      await assertUnchanged(service(), answer)
      // The next call needs the administrator.
      for (const { id, role } of demoted) await setRoles(id, [role, 'owner'])
    }
  })
})
