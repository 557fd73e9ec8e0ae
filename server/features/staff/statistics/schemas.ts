import { Type } from 'typebox'
import { OneOf, Query, Timestamp } from '../../../platform/http/schemas.ts'

const Time = (fallback: string) =>
  Type.Optional(Type.String({ maxLength: 40, description: `ISO 8601, or epoch milliseconds; default ${fallback}` }))

export const StatisticsQuery = Query({
  from: Time('30 days before to'),
  to: Time('now'),
  interval: Type.Optional(OneOf('hour', 'day')),
})

const Count = Type.Integer()
const NullableNumber = (description: string) => Type.Unsafe<number | null>({ type: ['number', 'null'], description })

export const StatisticsResponse = Type.Object({
  from: Type.String({ format: 'date-time', description: 'the start of the first bucket' }),
  to: Type.String({ format: 'date-time', description: 'the end of the last bucket' }),
  interval: OneOf('hour', 'day'),
  buckets: Type.Array(Timestamp),
  series: Type.Array(
    Type.Object({
      name: Type.String(),
      detail: Type.String(),
      counts: Type.Array(Count, { description: 'one for each bucket' }),
      total: Count,
      previousTotal: Type.Integer({ description: 'of the same length of time before' }),
    }),
    { description: 'series without an event, before or now, are left out' },
  ),
  medianEmailDelaySeconds: NullableNumber('half of the emails took at most this long; null without emails'),
  topOrganizations: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), slug: Type.String(), tokens: Count }),
    { description: 'by tokens, on the last UTC days of the time, at most 31' },
  ),
  passkeyShare: NullableNumber('of the sign-ins, 0 to 1; null without sign-ins'),
  users: Type.Object({ total: Count, banned: Count, withPasskey: Count }, { description: 'now' }),
})
