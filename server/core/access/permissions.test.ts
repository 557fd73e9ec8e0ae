import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasOrganizationPermission } from './organization-permissions.ts'
import { hasStaffPermission, SERVICE_ROLES } from './staff-permissions.ts'

test('Every role with user.update has user.set-email, because update-user checks only user.update', () => {
  for (const role of SERVICE_ROLES)
    assert.equal(hasStaffPermission(role, 'user.set-email'), hasStaffPermission(role, 'user.update'), role)
})

test('Every role with member.delete has apiKey.delete, because remove-member checks only member.delete', () => {
  for (const role of ['owner', 'admin', 'member'])
    assert.equal(
      hasOrganizationPermission(role, 'apiKey.delete'),
      hasOrganizationPermission(role, 'member.delete'),
      role,
    )
})

test('Every role with apiKey.create has apiKey.update, because api-key/rotate checks only apiKey.create', () => {
  for (const role of ['owner', 'admin', 'member'])
    assert.equal(
      hasOrganizationPermission(role, 'apiKey.update'),
      hasOrganizationPermission(role, 'apiKey.create'),
      role,
    )
})
