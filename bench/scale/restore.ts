import type { Context } from '../../server/core/context.ts'
import { setPasswordHash } from '../../server/core/credentials/password-store.ts'
import { addMember } from '../../server/core/memberships/add-member.ts'
import { hashToken, newId, newToken } from '../../server/platform/crypto/tokens.ts'
import { idOf, organizationOf } from './names.ts'

const WEEK_MILLISECONDS = 7 * 86_400_000

/** Makes a session fresh. Starts one where an earlier request has revoked it or replaced its token. @returns the token */
export async function openSession(
  context: Context,
  userId: string,
  activeOrganizationId: string,
  token: string,
): Promise<string> {
  const { database, now } = context
  const found = await database
    .updateTable('sessions')
    .set({ authenticatedAt: now(), activeOrganizationId })
    .where('tokenHash', '=', hashToken(token))
    .returning('id')
    .executeTakeFirst()
  if (found) return token
  const other = newToken(context)
  const at = now()
  await database
    .insertInto('sessions')
    .values({
      id: newId('ses', context),
      userId,
      tokenHash: hashToken(other),
      createdAt: at,
      updatedAt: at,
      lastUsedAt: at,
      authenticatedAt: at,
      expiresAt: at + WEEK_MILLISECONDS,
      authenticationMethods: 'pwd',
      rememberMe: 1,
      activeOrganizationId,
      properties: '{}',
    })
    .execute()
  return other
}

/** Undoes what earlier requests have done to a user. @returns false for a deleted user */
export async function restoreUser(context: Context, number: number): Promise<boolean> {
  const { database } = context
  const userId = idOf('usr', number)
  const restored = await database
    .updateTable('users')
    .set({ role: 'user', emailVerified: 1, banned: 0, banReason: null, banExpires: null, twoFactorEnabled: 0 })
    .where('id', '=', userId)
    .returning('id')
    .executeTakeFirst()
  if (!restored) return false
  await database.deleteFrom('secondSteps').where('userId', '=', userId).execute()
  await setPasswordHash(database, context, userId, await getPasswordHash(context))
  const organizationId = idOf('org', organizationOf(number))
  const members = database.selectFrom('members').select('id').where('userId', '=', userId)
  if (!(await members.where('organizationId', '=', organizationId).executeTakeFirst()))
    await addMember(database, context, { organizationId, userId, role: 'member' })
  return true
}

/** Of the administrator, whose password no request changes. */
async function getPasswordHash({ database }: Context): Promise<string> {
  const { passwordHash } = await database
    .selectFrom('accounts')
    .select('passwordHash')
    .where('userId', '=', idOf('usr', 1))
    .executeTakeFirstOrThrow()
  if (passwordHash === null) throw new Error('The administrator has no password')
  return passwordHash
}
