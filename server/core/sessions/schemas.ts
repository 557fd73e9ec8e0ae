import { Type } from 'typebox'
import { Described, NullableString, NullableTimestamp, Timestamp } from '../../platform/http/schemas.ts'
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
