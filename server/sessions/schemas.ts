import { Type } from 'typebox'
import { Fields, NullableString, Timestamp } from '../http/schemas.ts'
import { User } from '../users/schemas.ts'

export const Session = Type.Object({
  id: Type.String(),
  expiresAt: Timestamp,
  token: Type.String({ description: 'the credential, to its own holder only' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  ipAddress: NullableString,
  userAgent: NullableString,
  userId: Type.String(),
  activeOrganizationId: NullableString,
  impersonatedBy: NullableString,
})

export const SessionAndUser = Type.Object({ session: Session, user: User })
export const GetSessionAnswer = Type.Union([SessionAndUser, Type.Null()])
export const GetSessionQuery = Fields({
  disableCookieCache: Type.Optional(
    Type.String({ description: 'sent by the official client; nothing is cached here' }),
  ),
  disableRefresh: Type.Optional(Type.String()),
})
export const NoFields = Fields({})
export const SignOutAnswer = Type.Object({ success: Type.Boolean(), url: NullableString, redirect: Type.Boolean() })
