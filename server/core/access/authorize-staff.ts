import { ApiError } from '../../platform/http/errors.ts'
import type { Caller } from './caller.ts'
import { mayAsStaff, type StaffPermission } from './staff-permissions.ts'

/** @throws ApiError FORBIDDEN unless the caller's service role grants the permission */
export function authorizeStaff({ user }: Caller, permission: string): void {
  if (!mayAsStaff(user.role, permission as StaffPermission)) throw new ApiError('FORBIDDEN')
}
