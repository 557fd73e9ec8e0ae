import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kysely } from 'kysely'
import { concurrently } from '../../../test/support/concurrently.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administratorWithOrganization, newMember } from '../../../test/support/users.ts'
import type { Tables } from '../../platform/database/tables.ts'
import type { RequiredOfMember } from '../access/organization-permissions.ts'
import { findMembership } from './find-membership.ts'
import { lockMembershipForUpdate } from './lock-membership.ts'
import { updateMemberRow } from './store.ts'

onEachDatabase('lockMembershipForUpdate', (service) => {
  test('lockMembershipForUpdate checks the declared permission against the current role', async () => {
    const { database } = service().context
    const { id, organization } = await newMember(service(), 'admin')
    const found = await findMembership(database, id, { id: organization.id })
    assert.ok(found)
    const lock = (permission: RequiredOfMember) =>
      database
        .transaction()
        .execute((transaction) =>
          lockMembershipForUpdate(transaction, { ...found, permission, assertSecondStepFor: () => undefined }),
        )

    assert.equal((await lock('member.delete')).member.role, 'admin')
    await assert.rejects(lock('organization.delete'), { code: 'FORBIDDEN' })
    await database
      .transaction()
      .execute((transaction) => updateMemberRow(transaction, found.member.id, { role: 'member' }))
    await assert.rejects(lock('member.delete'), { code: 'FORBIDDEN' })
    assert.equal((await lock('membership')).member.role, 'member')
  })

  test('A route that needs a fresh session refuses one without the second step that the organization requires concurrently', async () => {
    const { client, organization } = await administratorWithOrganization(service())
    const request = (path: string, body: object) => () => client.post(`/api/auth/${path}`, body)
    const { id } = organization
    for (const change of [
      request('api-key/create', { name: 'Payroll', organizationId: id }),
      request('oauth2/create-client', {
        client_name: 'Wiki',
        redirect_uris: ['https://wiki.example.com/callback'],
        organizationId: id,
      }),
      request('organization/delete', { organizationId: id }),
    ]) {
      const require = (requireTwoFactor: number) => (database: Kysely<Tables>) =>
        database.updateTable('organizations').set({ requireTwoFactor }).where('id', '=', id).execute()
      const { status, body } = await concurrently(service(), { begin: require(1) }, change)
      assert.deepEqual([status, body.code], [403, 'TWO_FACTOR_REQUIRED'])
      await require(0)(service().context.database)
    }
  })
})
