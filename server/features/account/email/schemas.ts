import { Type } from 'typebox'
import { User } from '../../../core/users/schemas.ts'
import { EmailAddress, Fields, OptionalCallbackUrl, Query, Secret } from '../../../platform/http/schemas.ts'

export const SendVerificationBody = Fields({ email: EmailAddress, callbackURL: OptionalCallbackUrl })
export const VerifyEmailQuery = Query({ token: Secret, callbackURL: OptionalCallbackUrl })
export const VerifyEmailResponse = Type.Object({
  user: User,
  status: Type.Boolean(),
  passwordLinkSent: Type.Boolean({
    description: 'true: sessions and credentials of before are gone, and an email has a link to set a password',
  }),
  callbackURL: Type.Optional(Type.String({ description: 'from the request for the link: the page to go to next' })),
})
export const ChangeEmailBody = Fields({ newEmail: EmailAddress, callbackURL: OptionalCallbackUrl })
export const ChangeEmailResponse = Type.Object({ user: User, status: Type.Boolean(), message: Type.String() })
export const UndoEmailChangeBody = Fields({ token: Secret })
