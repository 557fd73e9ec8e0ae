import { Type } from 'typebox'
import { AUDIT_ACTIONS } from '../../../core/audit/actions.ts'
import { ListPageFields, UncountedPageFields } from '../../../platform/http/paging.ts'
import {
  Described,
  Fields,
  Id,
  NullableString,
  OneOf,
  Properties,
  Query,
  Timestamp,
} from '../../../platform/http/schemas.ts'
import { TimeRangeFields } from '../../../platform/http/time-range.ts'

export const ListAuditEventsQuery = Fields({
  userId: Type.Optional(Described(Id, 'the actor, the subject or the impersonator')),
  anyId: Type.Optional(Described(Id, 'the actor, subject, impersonator, organization or request')),
  actorId: Type.Optional(Id),
  impersonatedBy: Type.Optional(Id),
  subjectId: Type.Optional(Id),
  organizationId: Type.Optional(Id),
  action: Type.Optional(OneOf(...AUDIT_ACTIONS)),
  requestId: Type.Optional(Id),
  ...TimeRangeFields,
  ...ListPageFields,
})

export const ListUserEventsQuery = Query({
  userId: Id,
  action: Type.Optional(OneOf(...AUDIT_ACTIONS)),
  ...ListPageFields,
})

export const ListAuditEventsResponse = Type.Object({
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      createdAt: Timestamp,
      action: OneOf(...AUDIT_ACTIONS),
      actorId: NullableString,
      actorName: NullableString,
      impersonatedBy: NullableString,
      subjectId: NullableString,
      subjectName: NullableString,
      organizationId: NullableString,
      organizationName: NullableString,
      ipAddress: NullableString,
      userAgent: NullableString,
      requestId: NullableString,
      details: Properties,
      sequence: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'position in the audit chain' }),
      hash: NullableString,
    }),
  ),
  ...UncountedPageFields,
})
