import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import {
  findTokenPurpose,
  findUsableToken,
  type UsableToken,
} from '../../../core/single-use-tokens/single-use-tokens.ts'
import { findUser } from '../../../core/users/find-user.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { LINK_PURPOSES, type LinkDescription } from './schemas.ts'

type Purpose = (typeof LINK_PURPOSES)[number]

/**
 * Describes the link that a token is from, and leaves the token usable: its page names the email addresses before the
 * user agrees.
 * @throws ApiError INVALID_TOKEN also for a token of an email address that the account no longer has
 */
export async function describeLink(context: Context, token: string): Promise<Static<typeof LinkDescription>> {
  const description = await findDescription(context, token)
  if (!description) throw new ApiError('INVALID_TOKEN', { field: 'token' })
  return description
}

async function findDescription({ database, now }: Context, token: string) {
  const found = await findTokenPurpose(database, token)
  const purpose = LINK_PURPOSES.find((known) => known === found)
  const link = purpose && (await findUsableToken(database, now(), purpose, token))
  const user = link?.userId ? await findUser(database, link.userId) : undefined
  return purpose && link && user && describe(purpose, link, user)
}

function describe(purpose: Purpose, { data }: UsableToken<Purpose>, { email }: UserRow) {
  const { email: verifiedEmail, newEmail, oldEmail } = data as Record<'email' | 'newEmail' | 'oldEmail', string>
  switch (purpose) {
    case 'verify email':
      return verifiedEmail === email ? { purpose, email } : undefined
    case 'change email':
      return oldEmail === email ? { purpose, email, newEmail } : undefined
    case 'undo email change':
      return { purpose, email, newEmail: oldEmail }
    default:
      return { purpose, email }
  }
}
