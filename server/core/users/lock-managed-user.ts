import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { Caller } from '../access/caller.ts'
import { isStaff, mayAsStaff, type StaffPermission } from '../access/staff-permissions.ts'
import type { Context } from '../context.ts'
import { isBanned } from './banned.ts'

/**
 * The person that staff act on, locked together with whoever acts and with every administrator, so that what was
 * decided on still holds when it is done: two administrators who demote each other at once can't both, and whoever acts
 * on the last other one is left.
 * @throws ApiError USER_NOT_FOUND; FORBIDDEN where the caller lost the permission a moment ago; STAFF_IS_FOR_ADMINS
 */
export async function lockManagedUser(
  transaction: Kysely<Tables>,
  { now }: Pick<Context, 'now'>,
  caller: Caller,
  permission: StaffPermission,
  userId: string,
): Promise<UserRow> {
  const people = await lockUsersAndAdministrators(transaction, [caller.user.id, userId])
  const staff = people.find(({ id }) => id === caller.user.id)
  if (!staff || isBanned(staff, now()) || !mayAsStaff(staff.role, permission)) throw new ApiError('FORBIDDEN')
  const target = people.find(({ id }) => id === userId)
  if (!target) throw new ApiError('USER_NOT_FOUND', { field: 'userId' })
  assertMayTouch(staff, target)
  return target
}

/** Only administrators touch staff (CVE-2026-16106). @throws ApiError STAFF_IS_FOR_ADMINS */
export function assertMayTouch(staff: UserRow, target: UserRow): void {
  if (isStaff(target) && staff.role !== 'admin' && staff.id !== target.id) throw new ApiError('STAFF_IS_FOR_ADMINS')
}

/**
 * Somebody who is about to go by themselves, locked likewise.
 * @returns undefined when they are gone
 * @throws ApiError LAST_ADMINISTRATOR where they would leave none behind who is not banned
 */
export async function lockUserForDeletion(
  transaction: Kysely<Tables>,
  { now }: Pick<Context, 'now'>,
  userId: string,
): Promise<UserRow | undefined> {
  const people = await lockUsersAndAdministrators(transaction, [userId])
  const leaving = people.find(({ id }) => id === userId)
  const othersCanStay = people.some((other) => other.id !== userId && other.role === 'admin' && !isBanned(other, now()))
  if (leaving?.role === 'admin' && !othersCanStay) throw new ApiError('LAST_ADMINISTRATOR')
  return leaving
}

/** These people and every administrator, in the order of their ids. */
function lockUsersAndAdministrators(transaction: Kysely<Tables>, ids: string[]): Promise<UserRow[]> {
  return transaction
    .selectFrom('users')
    .selectAll()
    .where((where) => where.or([where('id', 'in', ids), where('role', '=', 'admin')]))
    .orderBy('id')
    .forUpdate()
    .execute()
}
