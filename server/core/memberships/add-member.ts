import type { Kysely } from 'kysely'
import { newId, type Randomness } from '../../platform/crypto/tokens.ts'
import type { MemberRow, Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { countMembers } from './store.ts'

export const MEMBERS_MAXIMUM = 50_000

/**
 * For a locked organization, whose members are counted.
 * @throws ApiError USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION; ORGANIZATION_MEMBERSHIP_LIMIT_REACHED
 */
export async function addMember(
  transaction: Kysely<Tables>,
  randomness: Randomness,
  { organizationId, userId, role }: Pick<MemberRow, 'organizationId' | 'userId' | 'role'>,
): Promise<MemberRow> {
  const now = randomness.now()
  const member = await transaction
    .insertInto('members')
    .values({ id: newId('mem', randomness), organizationId, userId, role, createdAt: now, lastUsedAt: now })
    .onConflict((conflict) => conflict.columns(['organizationId', 'userId']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!member) throw new ApiError('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
  if ((await countMembers(transaction, organizationId)) > MEMBERS_MAXIMUM)
    throw new ApiError('ORGANIZATION_MEMBERSHIP_LIMIT_REACHED')
  return member
}

export async function insertMembers(transaction: Kysely<Tables>, members: MemberRow[]): Promise<void> {
  await transaction.insertInto('members').values(members).execute()
}
