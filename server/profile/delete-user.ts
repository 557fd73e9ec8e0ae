import type { Kysely } from 'kysely'
import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { Tables, UserRow } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { userDeletedLetter } from '../mail/letters/deletion.ts'
import { enqueueLetter, withdrawLetters } from '../mail/outbox.ts'
import { endImpersonationsOf } from '../sessions/end-session.ts'
import { deleteOrganization, deleteUserRow, lockOwnedOrganizations } from './store.ts'

/**
 * Deletes a user within the caller's transaction, which has locked them: sessions, passwords, passkeys, memberships and open links go with the
 * row, organizations that nobody else is in too, and letters that were not sent yet. The audit record stays.
 * @throws ApiError YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER while others are in an organization that would
 *   have no owner
 */
export async function deleteUser(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  user: UserRow,
): Promise<void> {
  const userId = user.id
  const owned = await lockOwnedOrganizations(transaction, userId)
  const orphaned = owned.find(({ memberCount, ownerCount }) => ownerCount === 1 && memberCount > 1)
  if (orphaned) {
    throw new ApiError('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER', {
      message: `${orphaned.name} has other members and no other owner. Make somebody else an owner, or delete the organization, first.`,
    })
  }
  await endImpersonationsOf(transaction, context, actor, userId)
  for (const { id, memberCount } of owned) if (memberCount === 1) await deleteOrganization(transaction, id)
  await deleteUserRow(transaction, userId)
  await withdrawLetters(transaction, user.email)
  await enqueueLetter(transaction, context, userDeletedLetter(user.email, { at: context.now(), ...actor }))
  await recordEvent(transaction, context, actor, { action: 'user.deleted', subjectId: userId })
}
