import type { ApiKeyRole, OrganizationRole } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

export const API_KEY_ROLES = ['member', 'admin'] as const satisfies ApiKeyRole[]

/** @param roles the current and the new role of the API key @throws ApiError INSUFFICIENT_API_KEY_PERMISSIONS */
export function assertMayManageApiKey(memberRole: OrganizationRole, ...roles: ApiKeyRole[]): void {
  if (roles.includes('admin') && memberRole !== 'owner') throw new ApiError('INSUFFICIENT_API_KEY_PERMISSIONS')
}
