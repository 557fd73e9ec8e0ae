import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrganizationRole, ServiceRole } from '../../platform/database/tables.ts'
import { hasOrganizationPermission, ORGANIZATION_ROLES } from './organization-permissions.ts'
import { hasStaffPermission, SERVICE_ROLES } from './staff-permissions.ts'

test('Every role with user.update has user.set-email, because update-user checks only user.update', () => {
  for (const role of SERVICE_ROLES)
    assert.equal(hasStaffPermission(role, 'user.set-email'), hasStaffPermission(role, 'user.update'), role)
})

for (const [granted, checked, route] of [
  ['apiKey.delete', 'member.delete', 'remove-member'],
  ['apiKey.update', 'apiKey.create', 'api-key/rotate'],
] as const)
  test(`Every role with ${checked} has ${granted}, because ${route} checks only ${checked}`, () => {
    for (const role of ORGANIZATION_ROLES)
      assert.equal(hasOrganizationPermission(role, granted), hasOrganizationPermission(role, checked), role)
  })

test('A role of a later version, which serves beside this one during an upgrade, has no permission', () => {
  assert.equal(hasOrganizationPermission('auditor' as OrganizationRole, 'audit.list'), false)
  assert.equal(hasStaffPermission('auditor' as ServiceRole, 'user.list'), false)
})
