import { type Static, Type } from 'typebox'
import type { ApiKeyRow } from '../../../platform/database/tables.ts'
import { NullableTimestamp } from '../../../platform/http/schemas.ts'
import { toIsoOrNull } from '../../../platform/http/time.ts'
import type { KeysOfLeaver } from './keys-of-leaver.ts'

const KeySummary = Type.Object({
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

export function toKeysOfLeaver({ usable, revoked }: KeysOfLeaver) {
  return { apiKeys: usable.map(toSummary), revokedApiKeys: revoked.map(toSummary) }
}

function toSummary({ id, name, role, organizationId, expiresAt }: ApiKeyRow): Static<typeof KeySummary> {
  return { id, name, role, organizationId, expiresAt: toIsoOrNull(expiresAt) }
}
