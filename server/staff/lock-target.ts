import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables, UserRow } from '../database/tables.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { isBanned } from '../users/banned.ts'
import { isStaff, mayAsStaff, type StaffPermission } from './roles.ts'
import { listAdmins, lockPeople } from './store.ts'

/**
 * The person that staff act on, locked together with whoever acts and with every administrator, so that what was
 * decided on still holds when it is done: two administrators who demote each other at once can't both.
 * @throws ApiError USER_NOT_FOUND; FORBIDDEN where the caller lost the permission a moment ago; STAFF_IS_FOR_ADMINS
 */
export async function lockTarget(
  transaction: Kysely<Tables>,
  { now }: Pick<Context, 'now'>,
  caller: Caller,
  permission: StaffPermission,
  userId: string,
): Promise<UserRow> {
  const people = await lockPeople(transaction, [caller.user.id, userId])
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

/** Somebody who is about to go of their own accord, with every administrator, as `lockTarget` locks them. */
export async function lockLeaving(transaction: Kysely<Tables>, userId: string): Promise<UserRow | undefined> {
  const people = await lockPeople(transaction, [userId])
  return people.find(({ id }) => id === userId)
}

/**
 * That somebody who is about to go, and was locked with every administrator, leaves one behind.
 * @throws ApiError LAST_ADMINISTRATOR
 */
export async function assertNotLastAdmin(
  transaction: Kysely<Tables>,
  { now }: Pick<Context, 'now'>,
  leaving: UserRow,
): Promise<void> {
  if (leaving.role !== 'admin') return
  const admins = await listAdmins(transaction)
  if (!admins.some((admin) => admin.id !== leaving.id && !isBanned(admin, now())))
    throw new ApiError('LAST_ADMINISTRATOR')
}
