import { Type } from 'typebox'
import { AUDIT_ACTIONS } from '../../../core/audit/actions.ts'
import { OrganizationFields } from '../../../core/memberships/schemas.ts'
import { ListPageFields } from '../../../platform/http/paging.ts'
import { Fields, NullableString, OneOf, Properties, Timestamp } from '../../../platform/http/schemas.ts'

const Time = Type.String({ maxLength: 40, description: 'ISO 8601, or epoch milliseconds' })

export const ListOrganizationEventsQuery = Fields({
  ...OrganizationFields,
  action: Type.Optional(OneOf(...AUDIT_ACTIONS)),
  from: Type.Optional(Time),
  until: Type.Optional(Time),
  ...ListPageFields,
})

export const ListOrganizationEventsAnswer = Type.Object({
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      createdAt: Timestamp,
      action: Type.String(),
      actorId: NullableString,
      actorName: NullableString,
      byStaff: Type.Boolean({
        description: 'whether the staff of this service did it: as themselves, then the actor is null, or as the actor',
      }),
      subjectId: NullableString,
      subjectName: Type.Unsafe<string | null>({
        ...NullableString,
        description: 'name of a user or an API key, or email address of an invitation; null when it is deleted',
      }),
      ipAddress: NullableString,
      details: Properties,
    }),
  ),
  limit: Type.Integer(),
  offset: Type.Integer(),
  hasMore: Type.Boolean(),
})
