import { Type } from 'typebox'
import { NullableTimestamp, OneOf } from '../../../platform/http/schemas.ts'
import { API_KEY_ROLES } from './roles.ts'

export const KeySummary = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: OneOf(...API_KEY_ROLES),
  organizationId: Type.String(),
  expiresAt: NullableTimestamp,
})

export const UsableKeySummary = Type.Object({ ...KeySummary.properties, organizationName: Type.String() })

export const RevokeApiKeys = Type.Optional(
  Type.Boolean({ description: 'true: also revokes the API keys that the user created; this needs a fresh session' }),
)

export const KeysOfLeaverFields = {
  apiKeys: Type.Array(UsableKeySummary, { description: 'API keys that the user created and that still work' }),
  revokedApiKeys: Type.Array(KeySummary),
}
