import type { Kysely } from 'kysely'
import type { MemberRow, Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { newId, type Randomness } from '../secrets/tokens.ts'

/**
 * Adds a member within the caller's transaction; the unique index decides who is first.
 * @throws ApiError USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION
 */
export async function addMember(
  transaction: Kysely<Tables>,
  randomness: Randomness,
  { organizationId, userId, role }: Pick<MemberRow, 'organizationId' | 'userId' | 'role'>,
): Promise<MemberRow> {
  const member = await transaction
    .insertInto('members')
    .values({ id: newId('mem', randomness), organizationId, userId, role, createdAt: randomness.now() })
    .onConflict((conflict) => conflict.columns(['organizationId', 'userId']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!member) throw new ApiError('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
  return member
}
