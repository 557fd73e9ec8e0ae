import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { mayAsStaff, type StaffPermission } from './roles.ts'

/** @throws ApiError FORBIDDEN unless the caller's service role grants the permission */
export function authorizeStaff({ user }: Caller, permission: string): void {
  if (!mayAsStaff(user.role, permission as StaffPermission)) throw new ApiError('FORBIDDEN')
}
