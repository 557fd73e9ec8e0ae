import { Type } from 'typebox'
import {
  Described,
  Fields,
  Id,
  NullableString,
  NullableTimestamp,
  Query,
  Timestamp,
} from '../../../platform/http/schemas.ts'

const Scopes = Type.Array(Type.String())

export const Consent = Type.Object({
  id: Type.String(),
  clientId: Type.String(),
  userId: Type.String(),
  scopes: Scopes,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  clientName: Type.String(),
  logoUri: NullableString,
})
export const Consents = Type.Array(Consent)
export const ConsentQuery = Query({ id: Id })
export const DeleteConsentBody = Fields({ id: Id })

const App = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  uri: NullableString,
  logoUri: NullableString,
  organizationName: Described(NullableString, 'null for an app of no organization'),
  isSelfRegistered: Type.Boolean({ description: 'whether no user of the service created it' }),
  scopes: Scopes,
  consentId: Described(NullableString, 'null for an app that needs no consent'),
  firstUsedAt: Timestamp,
  lastUsedAt: Described(NullableTimestamp, 'null without a live session at the app'),
})
export const Apps = Type.Array(App)
export const RevokeAppBody = Fields({ clientId: Id })
