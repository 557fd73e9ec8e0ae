import { Type } from 'typebox'
import { ListedSession, Session } from '../../../core/sessions/schemas.ts'
import { User } from '../../../core/users/schemas.ts'
import { Described, Fields, NullableString, Properties, Query, Secret } from '../../../platform/http/schemas.ts'

const SharedSession = Type.Object(
  {
    ...Session.properties,
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
export const SignOutResponse = Type.Object({ success: Type.Boolean(), url: NullableString, redirect: Type.Boolean() })
export const SessionList = Type.Array(ListedSession)
export const RevokeSessionBody = Fields({
  token: Described(Secret, "the handle in list-sessions' `token`, or the session token"),
})
export const UpdateSessionBody = Properties
export const UpdateSessionResponse = Type.Object({ session: Session })
