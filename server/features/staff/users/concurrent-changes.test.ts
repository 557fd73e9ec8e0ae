import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Answer } from '../../../../test/support/client.ts'
import { type ConcurrentStep, concurrently, userDeletion } from '../../../../test/support/concurrently.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { administrator, newEmail, PASSWORD, type TestUser } from '../../../../test/support/users.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import type { UserRow } from '../../../platform/database/tables.ts'

const check = ({ status, body }: Answer, expected: [number, string]) =>
  assert.deepEqual([status, body.code], expected, JSON.stringify(body))

const changing = ({ id }: TestUser, change: Partial<UserRow>): ConcurrentStep => ({
  begin: (transaction) => lockUserForUpdate(transaction, id),
  finish: (transaction) => transaction.updateTable('users').set(change).where('id', '=', id).execute(),
})

onEachDatabase('Staff routes with concurrent changes', (service) => {
  const banning =
    ({ client }: TestUser, { id }: TestUser) =>
    () =>
      client.post('/api/auth/admin/ban-user', { userId: id })

  test('ban-user refuses staff who are concurrently demoted or banned', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    for (const change of [{ role: 'user' }, { banned: 1 }] as const) {
      const staff = await userWithRole(service(), admin, 'admin')
      check(await concurrently(service(), changing(staff, change), banning(staff, user)), [403, 'FORBIDDEN'])
    }
  })

  test('retry-email, send-test-email and clear-throttle refuse staff who are concurrently demoted or unverified', async () => {
    const admin = await administrator(service())
    for (const [path, body] of [
      ['retry-email', { emailId: 'eml_1' }],
      ['send-test-email', {}],
      ['clear-throttle', { key: 'none' }],
    ] as const)
      for (const change of [{ role: 'user' }, { emailVerified: 0 }] as const) {
        const staff = await userWithRole(service(), admin, 'admin')
        const request = () => staff.client.post(`/api/auth/admin/${path}`, body)
        check(await concurrently(service(), changing(staff, change), request), [403, 'FORBIDDEN'])
      }
  })

  test('send-test-email goes to the address that the caller has changed to concurrently', async () => {
    const staff = await administrator(service())
    const email = newEmail()
    const request = () => staff.client.post('/api/auth/admin/send-test-email', {})
    const { body } = await concurrently(service(), changing(staff, { email }), request)
    assert.equal(body.recipient, email)
    assert.deepEqual(
      (await service().emails(email)).map(({ id }) => id),
      [body.emailId],
    )
  })

  test('impersonate-user refuses a token that is concurrently replaced, because its impersonations have ended', async () => {
    const staff = await administrator(service())
    const { id: userId } = await userWithRole(service(), staff)
    const replacing: ConcurrentStep = {
      begin: (transaction) =>
        transaction
          .updateTable('sessions')
          .set({ tokenHash: sql.ref('id') })
          .where('userId', '=', staff.id)
          .execute(),
    }
    const answer = await concurrently(service(), replacing, () =>
      staff.client.post('/api/auth/admin/impersonate-user', { userId }),
    )
    check(answer, [401, 'UNAUTHORIZED'])
  })

  test('ban-user refuses support when the user concurrently becomes staff', async () => {
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    const user = await userWithRole(service(), admin)
    const answer = await concurrently(service(), changing(user, { role: 'support' }), banning(support, user))
    check(answer, [403, 'STAFF_IS_FOR_ADMINS'])
  })

  test('impersonate-user refuses staff whose session is concurrently revoked', async () => {
    const staff = await administrator(service())
    const { id: userId } = await userWithRole(service(), staff)
    const signingOut: ConcurrentStep = {
      begin: (transaction) => transaction.deleteFrom('sessions').where('userId', '=', staff.id).execute(),
    }
    const answer = await concurrently(service(), signingOut, () =>
      staff.client.post('/api/auth/admin/impersonate-user', { userId }),
    )
    check(answer, [401, 'UNAUTHORIZED'])
  })

  for (const [path, input, subject] of [
    ['set-user-password', { newPassword: 'another correct horse battery' }, /Your password was set/],
    ['update-user', { data: { email: newEmail() } }, /The email address of your account was changed/],
  ] as const) {
    test(`${path} notifies the email address that a concurrent change has set`, async () => {
      const admin = await administrator(service())
      const user = await userWithRole(service(), admin)
      const email = newEmail()
      const answer = await concurrently(service(), changing(user, { email }), () =>
        admin.client.post(`/api/auth/admin/${path}`, { userId: user.id, ...input }),
      )
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const [notice] = await service().emails(email)
      assert.match(notice?.subject ?? '', subject)
    })
  }
})

onEachDatabase('The last two administrators', (service) => {
  test('delete-user keeps one of two administrators who delete themselves concurrently', async () => {
    const one = await administrator(service())
    const other = await userWithRole(service(), one, 'admin')
    const answer = await concurrently(service(), userDeletion(service(), other.id), () =>
      one.client.post('/api/auth/delete-user', { password: PASSWORD }),
    )
    check(answer, [400, 'LAST_ADMINISTRATOR'])
  })
})
