import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { userWithRole } from '../../../test/support/staff.ts'
import { administrator, administratorWithOrganization, member } from '../../../test/support/users.ts'
import type { ClientManager } from '../../core/access/access.ts'
import { OPERATOR } from '../../core/audit/actor.ts'
import { findMembership } from '../../core/memberships/find-membership.ts'
import { createCallerFinder } from '../../core/sessions/caller-cache.ts'
import { createClient } from './create-client.ts'

onEachDatabase('lockManager', (service) => {
  const permission = 'oauth-client.manage'
  const create = (manager: ClientManager) =>
    createClient(service().context, OPERATOR, manager, {
      metadata: { grant_types: ['client_credentials'] },
      skipConsent: false,
    })

  test('A client is not created when its administrator was demoted or banned since the request was authorized', async () => {
    const first = await administrator(service())
    for (const [path, body] of [
      ['set-role', { role: 'support' }],
      ['ban-user', {}],
    ] as const) {
      const admin = await userWithRole(service(), first, 'admin')
      const caller = await createCallerFinder(service().context, undefined)(admin.token)
      assert.ok(caller)
      await create({ ...caller, permission })
      assert.equal((await first.client.post(`/api/auth/admin/${path}`, { userId: admin.id, ...body })).status, 200)
      await assert.rejects(create({ ...caller, permission }), { code: 'FORBIDDEN' }, path)
    }
  })

  test('A client is not created when its owner was demoted or removed since the request was authorized', async () => {
    const first = await administratorWithOrganization(service())
    const { id } = first.organization
    for (const [path, bodyOf, code] of [
      ['update-member-role', (memberId: string) => ({ memberId, role: 'admin' }), 'FORBIDDEN'],
      ['remove-member', (memberId: string) => ({ memberIdOrEmail: memberId }), 'ORGANIZATION_NOT_FOUND'],
    ] as const) {
      const second = await member(service(), first, 'owner')
      const membership = await findMembership(service().context.database, second.id, { id })
      assert.ok(membership)
      await create({ ...membership, permission, assertSecondStepFor: () => undefined })
      const { status } = await first.client.post(`/api/auth/organization/${path}`, bodyOf(membership.member.id))
      assert.equal(status, 200)
      await assert.rejects(create({ ...membership, permission, assertSecondStepFor: () => undefined }), { code }, path)
    }
  })
})
