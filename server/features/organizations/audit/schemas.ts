import { Type } from 'typebox'
import { AUDIT_ACTIONS } from '../../../core/audit/actions.ts'
import { OrganizationFields } from '../../../core/memberships/schemas.ts'
import { ListPageFields, UncountedPageFields } from '../../../platform/http/paging.ts'
import { Described, Fields, NullableString, OneOf, Properties, Timestamp } from '../../../platform/http/schemas.ts'
import { TimeRangeFields } from '../../../platform/http/time-range.ts'

export const ListOrganizationEventsQuery = Fields({
  ...OrganizationFields,
  action: Type.Optional(OneOf(...AUDIT_ACTIONS)),
  ...TimeRangeFields,
  ...ListPageFields,
})

export const ListOrganizationEventsResponse = Type.Object({
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      createdAt: Timestamp,
      action: OneOf(...AUDIT_ACTIONS),
      actorId: NullableString,
      actorName: NullableString,
      byStaff: Type.Boolean({
        description: 'whether the staff of this service did it: as themselves, then the actor is null, or as the actor',
      }),
      subjectId: NullableString,
      subjectName: Described(
        NullableString,
        'name of a user or an API key, or email address of an invitation; null when it is deleted',
      ),
      ipAddress: NullableString,
      details: Properties,
    }),
  ),
  ...UncountedPageFields,
})
