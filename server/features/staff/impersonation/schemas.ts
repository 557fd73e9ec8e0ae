import { Type } from 'typebox'
import { IMPERSONATION_REASON_LENGTH_MAXIMUM } from '../../../core/field-limits.ts'
import { Session } from '../../../core/sessions/schemas.ts'
import { User } from '../../../core/users/schemas.ts'
import {
  Described,
  Fields,
  Id,
  Line,
  NullableString,
  NullableTimestamp,
  Timestamp,
} from '../../../platform/http/schemas.ts'

export const ImpersonateUserBody = Fields({
  userId: Id,
  reason: Type.Optional(Line(IMPERSONATION_REASON_LENGTH_MAXIMUM)),
})
export const StopImpersonatingResponse = Type.Object({ message: Type.String(), session: Session, user: User })

export const ImpersonationList = Type.Array(
  Type.Object({
    id: Type.String(),
    impersonatedBy: Type.String(),
    impersonatedByName: NullableString,
    startedAt: Timestamp,
    endedAt: Described(NullableTimestamp, 'null until the impersonation ends'),
  }),
)
