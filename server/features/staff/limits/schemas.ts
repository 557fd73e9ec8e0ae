import { Type } from 'typebox'
import { THROTTLE_HOLDERS, THROTTLE_KINDS } from '../../../core/limits/throttles.ts'
import { Described, Fields, NullableString, OneOf, Timestamp } from '../../../platform/http/schemas.ts'

export const ListThrottlesResponse = Type.Object({
  throttles: Type.Array(
    Type.Object({
      key: Type.String({ description: 'for clear-throttle' }),
      kind: OneOf(...THROTTLE_KINDS),
      holder: OneOf(...THROTTLE_HOLDERS),
      route: Described(NullableString, 'null for all routes together'),
      subject: Described(NullableString, 'the network, or the email address of the user; null when it is not known'),
      used: Type.Integer(),
      limit: Type.Integer(),
      expiresAt: Timestamp,
    }),
  ),
})

export const ClearThrottleBody = Fields({
  key: Type.String({ minLength: 1, maxLength: 400, pattern: '^[\\x20-\\x7e]+$', description: 'from list-throttles' }),
})
export const ClearThrottleResponse = Type.Object({
  status: Type.Boolean({ description: 'false when there is no such counter any more' }),
})
