import type { Context } from '../../../core/context.ts'
import { findUsableToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { findUser } from '../../../core/users/find-user.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** Leaves the token usable. @throws ApiError INVALID_TOKEN */
export async function getResetUser({ database, now }: Context, token: string): Promise<UserRow> {
  const found = await findUsableToken(database, now(), 'reset password', token)
  const user = found?.userId ? await findUser(database, found.userId) : undefined
  if (!user) throw new ApiError('INVALID_TOKEN', { field: 'token' })
  return user
}
