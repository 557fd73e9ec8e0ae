import assert from 'node:assert/strict'
import { test } from 'node:test'
import { concurrently, userDeletion } from '../../../../test/support/concurrently.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administrator, member, owner, PASSWORD } from '../../../../test/support/users.ts'
import { createAdmin } from './create-admin.ts'

onEachDatabase('create-admin', (service) => {
  test('create-admin creates a new user when the existing user is deleted concurrently', async () => {
    await administrator(service())
    const { id, email } = await member(service(), await owner(service()))
    const admin = { email, name: 'Nia New', password: PASSWORD }
    const made = await concurrently(service(), userDeletion(service(), id), () => createAdmin(service().context, admin))
    assert.deepEqual(made, { email, existed: false })
  })
})
