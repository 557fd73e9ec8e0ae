import { Type } from 'typebox'
import { Fields, OneOf, Secret } from '../../../platform/http/schemas.ts'

export const LINK_PURPOSES = [
  'reset password',
  'verify email',
  'change email',
  'undo email change',
  'delete user',
] as const

export const DescribeLinkBody = Fields({ token: Secret })
export const LinkDescription = Type.Object({
  purpose: OneOf(...LINK_PURPOSES),
  email: Type.String({ description: 'the email address of the account' }),
  newEmail: Type.Optional(
    Type.String({ description: 'change email, undo email change: the email address after the link is used' }),
  ),
})
