import { Type } from 'typebox'
import { Fields, NullableString, Properties, Query, Secret, Timestamp } from '../../platform/http/schemas.ts'
import { User } from '../users/schemas.ts'

const fields = {
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
}
export const Session = Type.Object(fields, { additionalProperties: true, description: 'and what update-session kept' })

export const SessionAndUser = Type.Object({ session: Session, user: User })
const SharedSession = Type.Object(
  {
    ...fields,
    token: Type.Optional(Type.String({ description: 'the credential; absent when a page of another origin asks' })),
  },
  { additionalProperties: true, description: 'and what update-session kept' },
)
export const GetSessionAnswer = Type.Union([Type.Object({ session: SharedSession, user: User }), Type.Null()])
export const GetSessionQuery = Query({
  disableCookieCache: Type.Optional(
    Type.String({ description: 'sent by the official client; nothing is cached here' }),
  ),
  disableRefresh: Type.Optional(Type.String({ description: "true: the session's expiry stays as it is" })),
})
export const NoFields = Fields({})
export const SignOutAnswer = Type.Object({ success: Type.Boolean(), url: NullableString, redirect: Type.Boolean() })
export const SessionList = Type.Array(Session)
export const RevokeSessionBody = Fields({
  token: Type.Unsafe<string>({
    ...Secret,
    description: "the handle in list-sessions' `token`, or the session's credential",
  }),
})
export const UpdateSessionBody = Properties
export const UpdateSessionAnswer = Type.Object({ session: Session })
