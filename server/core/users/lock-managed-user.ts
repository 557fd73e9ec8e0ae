import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { AuthorizedStaff } from '../access/access.ts'
import { assertStaffPermission, isStaff } from '../access/staff-permissions.ts'
import type { Context } from '../context.ts'
import { isBanned } from './banned.ts'
import { lockUserForShare } from './lock-user.ts'

/** Error codes of `lockManagedUser`, and of `assertMayManageUser` for the user that a staff route names. */
export const MANAGED_USER_ERRORS = ['STAFF_IS_FOR_ADMINS', 'USER_NOT_FOUND'] as const

/**
 * Locks both users and every administrator: two administrators who demote each other concurrently would leave none.
 * @throws ApiError USER_NOT_FOUND; FORBIDDEN when the staff member has lost the permission; STAFF_IS_FOR_ADMINS
 */
export async function lockManagedUser(
  transaction: Kysely<Tables>,
  { now }: Pick<Context, 'now'>,
  staff: AuthorizedStaff,
  userId: string,
): Promise<UserRow> {
  const users = await lockUsersAndAdministrators(transaction, [staff.user.id, userId])
  const current = users.find(({ id }) => id === staff.user.id)
  assertStillStaff(current, staff, now())
  const target = users.find(({ id }) => id === userId)
  if (!target) throw new ApiError('USER_NOT_FOUND', { field: 'userId' })
  assertMayManageUser(current, target)
  return target
}

/** @throws ApiError FORBIDDEN when the staff member was banned, or has lost the permission or the verified address */
export async function lockStaffForShare(
  transaction: Kysely<Tables>,
  { now }: Pick<Context, 'now'>,
  staff: AuthorizedStaff,
): Promise<UserRow> {
  const current = await lockUserForShare(transaction, staff.user.id)
  assertStillStaff(current, staff, now())
  return current
}

function assertStillStaff(
  current: UserRow | undefined,
  { permission }: AuthorizedStaff,
  now: number,
): asserts current is UserRow {
  if (!current || isBanned(current, now) || current.emailVerified === 0) throw new ApiError('FORBIDDEN')
  assertStaffPermission(current.role, permission)
}

/** Only administrators manage staff (CVE-2026-16106). @throws ApiError STAFF_IS_FOR_ADMINS */
export function assertMayManageUser(staff: UserRow, target: UserRow): void {
  if (isStaff(target) && staff.role !== 'admin' && staff.id !== target.id) throw new ApiError('STAFF_IS_FOR_ADMINS')
}

/** @throws ApiError LAST_ADMINISTRATOR when no other administrator is left who is verified and not banned */
export async function lockUserForDeletion(
  transaction: Kysely<Tables>,
  { now }: Pick<Context, 'now'>,
  userId: string,
): Promise<UserRow | undefined> {
  const users = await lockUsersAndAdministrators(transaction, [userId])
  const user = users.find(({ id }) => id === userId)
  if (user && !hasOtherAdministrator(user, users, now())) throw new ApiError('LAST_ADMINISTRATOR')
  return user
}

export async function isLastAdministrator(
  database: Kysely<Tables>,
  { now }: Pick<Context, 'now'>,
  user: UserRow,
): Promise<boolean> {
  const administrators = await database.selectFrom('users').selectAll().where('role', '=', 'admin').execute()
  return !hasOtherAdministrator(user, administrators, now())
}

/** Always true for a user who is not an administrator. Staff without a verified email address can't act. */
function hasOtherAdministrator(user: UserRow, users: UserRow[], now: number): boolean {
  const isOther = ({ id, role, emailVerified }: UserRow) => id !== user.id && role === 'admin' && emailVerified === 1
  return user.role !== 'admin' || users.some((other) => isOther(other) && !isBanned(other, now))
}

/** These users and every administrator, in the order of their ids: one order prevents deadlocks. */
function lockUsersAndAdministrators(transaction: Kysely<Tables>, ids: string[]): Promise<UserRow[]> {
  return transaction
    .selectFrom('users')
    .selectAll()
    .where((where) => where.or([where('id', 'in', ids), where('role', '=', 'admin')]))
    .orderBy('id')
    .forUpdate()
    .execute()
}
