import { Type } from 'typebox'
import {
  Described,
  Fields,
  NullableString,
  NullableTimestamp,
  Properties,
  Query,
  Secret,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { User } from '../users/schemas.ts'

const fields = {
  id: Type.String(),
  expiresAt: Timestamp,
  token: Type.String({ description: 'the session token, only in responses to the session itself' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  ipAddress: NullableString,
  userAgent: NullableString,
  userId: Type.String(),
  activeOrganizationId: NullableString,
  impersonatedBy: NullableString,
}
export const Session = Type.Object(fields, {
  additionalProperties: true,
  description: 'and the properties that update-session stored',
})

export const RememberMe = Type.Optional(
  Type.Boolean({
    description: 'false: the session expires after a day, and the cookie is deleted with the browser session',
  }),
)

export const ListedSession = Type.Object(
  {
    ...fields,
    lastUsedAt: Described(NullableTimestamp, 'precise to an hour'),
  },
  { additionalProperties: true, description: 'and the properties that update-session stored' },
)

export const SessionAndUser = Type.Object({ session: Session, user: User })
const SharedSession = Type.Object(
  {
    ...fields,
    token: Type.Optional(Type.String({ description: 'the session token; absent for pages of `RETURN_TO_ORIGINS`' })),
  },
  { additionalProperties: true, description: 'and the properties that update-session stored' },
)
export const GetSessionResponse = Type.Union([Type.Object({ session: SharedSession, user: User }), Type.Null()])
export const GetSessionQuery = Query({
  disableCookieCache: Type.Optional(
    Type.String({ description: 'accepted from the official client, without effect: there is no cookie cache' }),
  ),
  disableRefresh: Type.Optional(Type.String({ description: "true: the session's expiry stays as it is" })),
})
export const NoFields = Fields({})
export const SignOutResponse = Type.Object({ success: Type.Boolean(), url: NullableString, redirect: Type.Boolean() })
export const SessionList = Type.Array(ListedSession)
export const RevokeSessionBody = Fields({
  token: Described(Secret, "the handle in list-sessions' `token`, or the session token"),
})
export const UpdateSessionBody = Properties
export const UpdateSessionResponse = Type.Object({ session: Session })
