import { Type } from 'typebox'
import { NullableTimestamp } from '../../../platform/http/schemas.ts'

export const KeySummary = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: Type.String(),
  organizationId: Type.String(),
  expiresAt: NullableTimestamp,
})

export const RevokeApiKeys = Type.Optional(
  Type.Boolean({ description: 'true: also revokes the API keys that the user created; this needs a fresh session' }),
)

export const KeysOfLeaverFields = {
  apiKeys: Type.Array(KeySummary, { description: 'API keys that the user created and that still work' }),
  revokedApiKeys: Type.Array(KeySummary),
}
