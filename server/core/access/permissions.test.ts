import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasOrganizationPermission } from './organization-permissions.ts'
import { hasStaffPermission, SERVICE_ROLES } from './staff-permissions.ts'

test('Every role that may update users may set their email addresses, because update-user checks only the first', () => {
  for (const role of SERVICE_ROLES)
    assert.equal(hasStaffPermission(role, 'user.set-email'), hasStaffPermission(role, 'user.update'), role)
})

test('Every role that may delete members may delete API keys, because remove-member checks only the first', () => {
  for (const role of ['owner', 'admin', 'member'])
    assert.equal(
      hasOrganizationPermission(role, 'apiKey.delete'),
      hasOrganizationPermission(role, 'member.delete'),
      role,
    )
})
