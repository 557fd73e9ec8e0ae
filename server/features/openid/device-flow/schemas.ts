import { type Static, Type } from 'typebox'
import { Fields, Id, NullableString, OneOf, Query, Timestamp } from '../../../platform/http/schemas.ts'
import { ClientOfPage, OrganizationChoice } from '../interactions/schemas.ts'

/** Capital letters, spaces and hyphens make no difference. */
const UserCode = Type.String({ minLength: 1, maxLength: 32, description: 'the code that the device shows' })

/** The origin of a request for a device code. The user compares it with their own device. */
export const DeviceInfo = Type.Object({ ipAddress: NullableString, userAgent: NullableString })
export type DeviceInfo = Static<typeof DeviceInfo>

export const DeviceQuery = Query({ user_code: UserCode })
export const DeviceResponse = Type.Object({
  userCode: Type.String(),
  client: ClientOfPage,
  scopes: Type.Array(Type.String()),
  organizations: Type.Array(OrganizationChoice, {
    description: 'to choose from, with the scope organization; only the one that the app names',
  }),
  status: OneOf('pending', 'approved', 'denied'),
  requestedAt: Timestamp,
  requestedBy: DeviceInfo,
})
export const ApproveBody = Fields({ userCode: UserCode, organizationId: Type.Optional(Id) })
export const DenyBody = Fields({ userCode: UserCode })
