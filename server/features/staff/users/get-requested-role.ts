import type { Caller } from '../../../core/access/caller.ts'
import { toRole } from '../../../core/access/one-role.ts'
import { assertStaffPermission, parseServiceRole } from '../../../core/access/staff-permissions.ts'
import { assertSecondStepOfStaff } from '../../../core/access/two-step-policy.ts'
import type { Context } from '../../../core/context.ts'
import { getUser } from '../../../core/users/find-user.ts'
import type { ServiceRole } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/**
 * @throws ApiError VALIDATION_ERROR when both are named; YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE;
 *   EMAIL_NOT_VERIFIED; FORBIDDEN; TWO_FACTOR_REQUIRED; USER_NOT_FOUND
 */
export async function getRequestedRole(
  { database, config }: Context,
  caller: Caller,
  { role, userId }: { role?: string | string[]; userId?: string },
): Promise<ServiceRole> {
  if (role !== undefined && userId !== undefined) {
    throw new ApiError('VALIDATION_ERROR', { field: 'userId', message: 'Send either role or userId, not both.' })
  }
  if (role !== undefined) return parseServiceRole(toRole(role))
  if (userId === undefined || userId === caller.user.id) return caller.user.role
  if (!caller.user.emailVerified) throw new ApiError('EMAIL_NOT_VERIFIED')
  assertStaffPermission(caller.user.role, 'user.get')
  assertSecondStepOfStaff(config, caller)
  const user = await getUser(database, userId)
  return user.role
}
