import type { Kysely } from 'kysely'
import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'

/**
 * Before a user is deleted: an organization that others are in keeps an owner, and one in which nobody would be left is
 * deleted with them. The organizations that the user owns are locked.
 * @throws ApiError ONLY_OWNER_OF_AN_ORGANIZATION, naming it
 */
export async function leaveEveryOrganization(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  userId: string,
): Promise<void> {
  for (const { id, name } of await lockOwnedOrganizations(transaction, userId)) {
    const others = await transaction
      .selectFrom('members')
      .select('role')
      .where('organizationId', '=', id)
      .where('userId', '<>', userId)
      .execute()
    if (others.some(({ role }) => role === 'owner')) continue
    if (others.length > 0) {
      throw new ApiError('ONLY_OWNER_OF_AN_ORGANIZATION', {
        message: `They are the only owner of ${name}, which others are in. Make somebody else an owner first.`,
      })
    }
    await transaction.deleteFrom('organizations').where('id', '=', id).execute()
    await recordEvent(transaction, context, actor, {
      action: 'organization.deleted',
      subjectId: id,
      organizationId: id,
    })
  }
}

function lockOwnedOrganizations(transaction: Kysely<Tables>, userId: string): Promise<{ id: string; name: string }[]> {
  const owned = transaction
    .selectFrom('members')
    .select('organizationId')
    .where('userId', '=', userId)
    .where('role', '=', 'owner')
  return transaction
    .selectFrom('organizations')
    .select(['id', 'name'])
    .where('id', 'in', owned)
    .orderBy('id')
    .forUpdate()
    .execute()
}
