import { Type } from 'typebox'
import { ListPageFields, UncountedPageFields } from '../../../platform/http/paging.ts'
import { Described, NullableString, OneOf, Properties, Query, Timestamp } from '../../../platform/http/schemas.ts'
import { SHOWN_ACTIONS } from './shown-events.ts'

export const ListSecurityEventsQuery = Query(ListPageFields)
export const ListSecurityEventsResponse = Type.Object({
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      createdAt: Timestamp,
      action: OneOf(...SHOWN_ACTIONS),
      ipAddress: Described(NullableString, 'null for events by staff'),
      device: Described(NullableString, 'such as Firefox on Linux'),
      byStaff: Type.Boolean({ description: 'the staff of this service did it' }),
      impersonated: Type.Boolean({ description: 'done by staff in a session that impersonates the user' }),
      details: Properties,
    }),
  ),
  ...UncountedPageFields,
})
