import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { member, owner } from '../../../test/support/users.ts'
import type { RequiredOfMember } from '../access/organization-permissions.ts'
import { findMembership } from './find-membership.ts'
import { lockMembershipForUpdate } from './lock-membership.ts'
import { updateMemberRow } from './store.ts'

onEachDatabase('lockMembershipForUpdate', (service) => {
  test('lockMembershipForUpdate checks the declared permission against the current role', async () => {
    const { database } = service().context
    const { id, organization } = await member(service(), await owner(service()), 'admin')
    const found = await findMembership(database, id, { id: organization.id })
    assert.ok(found)
    const lock = (permission: RequiredOfMember) =>
      database.transaction().execute((transaction) => lockMembershipForUpdate(transaction, { ...found, permission }))

    assert.equal((await lock('member.delete')).member.role, 'admin')
    await assert.rejects(lock('organization.delete'), { code: 'FORBIDDEN' })
    await database
      .transaction()
      .execute((transaction) => updateMemberRow(transaction, found.member.id, { role: 'member' }))
    await assert.rejects(lock('member.delete'), { code: 'FORBIDDEN' })
    assert.equal((await lock('membership')).member.role, 'member')
  })
})
