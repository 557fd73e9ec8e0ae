import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import {
  findTokenPurpose,
  findUsableToken,
  type UsableToken,
} from '../../../core/single-use-tokens/single-use-tokens.ts'
import type { TokenData } from '../../../core/single-use-tokens/token-purposes.ts'
import { findUser } from '../../../core/users/find-user.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { LINK_PURPOSES, type LinkDescription } from './schemas.ts'

type Purpose = (typeof LINK_PURPOSES)[number]

/** Returns undefined when the link is for an earlier email address of the user. */
type ChangeBy<Kind extends Purpose> = (data: TokenData[Kind], email: string) => { newEmail?: string } | undefined

const CHANGES: { [Kind in Purpose]: ChangeBy<Kind> } = {
  'reset password': () => ({}),
  'verify email': (data, email) => (data.email === email ? {} : undefined),
  'change email': ({ oldEmail, newEmail }, email) => (oldEmail === email ? { newEmail } : undefined),
  'undo email change': ({ oldEmail }) => ({ newEmail: oldEmail }),
  'delete user': () => ({}),
}

/** Leaves the token usable. @throws ApiError INVALID_TOKEN, also for a token of a former email address */
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

function describe<Kind extends Purpose>(purpose: Kind, { data }: UsableToken<Kind>, { email }: UserRow) {
  const change = CHANGES[purpose](data, email)
  return change && { purpose, email, ...change }
}
