import { Type } from 'typebox'
import { BAN_REASON_LENGTH_MAXIMUM } from '../../../core/field-limits.ts'
import { Fields, Id, Line } from '../../../platform/http/schemas.ts'

const TEN_YEARS_IN_SECONDS = 10 * 366 * 24 * 3_600

export const BanUserBody = Fields({
  userId: Id,
  banReason: Type.Optional(Line(BAN_REASON_LENGTH_MAXIMUM)),
  banExpiresIn: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: TEN_YEARS_IN_SECONDS,
      description: 'seconds; by default the ban does not expire',
    }),
  ),
  expectedBanned: Type.Optional(
    Type.Unsafe<false>({
      type: 'boolean',
      enum: [false],
      description: 'you have read that the user is not banned; refused if the user is banned now',
    }),
  ),
})
export const UnbanUserBody = Fields({ userId: Id })
