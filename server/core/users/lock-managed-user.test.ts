import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { userWithRole } from '../../../test/support/staff.ts'
import { administrator } from '../../../test/support/users.ts'
import type { StaffPermission } from '../access/staff-permissions.ts'
import { createCallerFinder } from '../sessions/caller-cache.ts'
import { lockManagedUser } from './lock-managed-user.ts'
import { updateLockedUser } from './store.ts'

onEachDatabase('lockManagedUser', (service) => {
  test('lockManagedUser checks the declared permission against the current role', async () => {
    const { context } = service()
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    const target = await userWithRole(service(), admin)
    const caller = await createCallerFinder(context, undefined)(support.token)
    assert.ok(caller)
    const lock = (permission: StaffPermission) =>
      context.database
        .transaction()
        .execute((transaction) => lockManagedUser(transaction, context, { ...caller, permission }, target.id))

    assert.equal((await lock('user.ban')).id, target.id)
    await assert.rejects(lock('user.delete'), { code: 'FORBIDDEN' })
    await updateLockedUser(context.database, support.id, { role: 'user' })
    await assert.rejects(lock('user.ban'), { code: 'FORBIDDEN' })
  })
})
