import { Type } from 'typebox'
import { AUDIT_ACTIONS } from '../../../core/audit/actions.ts'
import { Fields, Id, NullableString, OneOf, Properties, Timestamp } from '../../../platform/http/schemas.ts'

const Time = Type.String({ maxLength: 40, description: 'ISO 8601, or epoch milliseconds' })

export const ListAuditEventsQuery = Fields({
  actorId: Type.Optional(Id),
  subjectId: Type.Optional(Id),
  organizationId: Type.Optional(Id),
  action: Type.Optional(OneOf(...AUDIT_ACTIONS)),
  from: Type.Optional(Time),
  until: Type.Optional(Time),
  limit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]?|[1-4][0-9]{2}|500)$', description: '1 to 500' })),
  offset: Type.Optional(Type.String({ pattern: '^[0-9]{1,6}$', description: '0 to 999999' })),
})

export const ListAuditEventsAnswer = Type.Object({
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      createdAt: Timestamp,
      action: Type.String(),
      actorId: NullableString,
      impersonatedBy: NullableString,
      subjectId: NullableString,
      organizationId: NullableString,
      ipAddress: NullableString,
      userAgent: NullableString,
      requestId: NullableString,
      details: Properties,
      sequence: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'position in the audit chain' }),
      hash: NullableString,
    }),
  ),
  limit: Type.Integer(),
  offset: Type.Integer(),
  hasMore: Type.Boolean(),
})
