import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../../../test/support/client.ts'
import { type Deed, meanwhile, removing } from '../../../../test/support/meanwhile.ts'
import { administrator, PASSWORD, type Person } from '../../../../test/support/people.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { personOf } from '../../../../test/support/staff.ts'
import { lockUser } from '../../../core/users/lock-user.ts'
import type { UserRow } from '../../../platform/database/tables.ts'

const check = ({ status, body }: Answer, expected: [number, string]) =>
  assert.deepEqual([status, body.code], expected, JSON.stringify(body))

const changing = ({ id }: Person, change: Partial<UserRow>): Deed => ({
  begin: (transaction) => lockUser(transaction, id),
  finish: (transaction) => transaction.updateTable('users').set(change).where('id', '=', id).execute(),
})

onEachDatabase('While staff act on somebody', (service) => {
  const banning =
    ({ client }: Person, { id }: Person) =>
    () =>
      client.post('/api/auth/admin/ban-user', { userId: id })

  test('and lose their own role, or are banned, they may no more', async () => {
    const admin = await administrator(service())
    const person = await personOf(service(), admin)
    for (const change of [{ role: 'user' }, { banned: 1 }]) {
      const staff = await personOf(service(), admin, 'admin')
      check(await meanwhile(service(), changing(staff, change), banning(staff, person)), [403, 'FORBIDDEN'])
    }
  })

  test('who becomes staff, support may no more', async () => {
    const admin = await administrator(service())
    const support = await personOf(service(), admin, 'support')
    const person = await personOf(service(), admin)
    const answer = await meanwhile(service(), changing(person, { role: 'support' }), banning(support, person))
    check(answer, [403, 'STAFF_IS_FOR_ADMINS'])
  })

  test('and their own session ends, none begins in which they act as somebody', async () => {
    const staff = await administrator(service())
    const { id: userId } = await personOf(service(), staff)
    const signingOut: Deed = {
      begin: (transaction) => transaction.deleteFrom('sessions').where('userId', '=', staff.id).execute(),
    }
    const answer = await meanwhile(service(), signingOut, () =>
      staff.client.post('/api/auth/admin/impersonate-user', { userId }),
    )
    check(answer, [401, 'UNAUTHORIZED'])
  })
})

onEachDatabase('Of the last two administrators', (service) => {
  test('who delete themselves at once, one stays', async () => {
    const one = await administrator(service())
    const other = await personOf(service(), one, 'admin')
    const answer = await meanwhile(service(), removing(service(), other.id), () =>
      one.client.post('/api/auth/delete-user', { password: PASSWORD }),
    )
    check(answer, [400, 'LAST_ADMINISTRATOR'])
  })
})
