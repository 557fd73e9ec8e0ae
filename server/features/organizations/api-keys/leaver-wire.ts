import type { Static } from 'typebox'
import type { ApiKeyRow } from '../../../platform/database/tables.ts'
import { toIsoOrNull } from '../../../platform/http/time.ts'
import type { KeysOfLeaver } from './keys-of-leaver.ts'
import type { KeySummary } from './leaver-schemas.ts'

export function toKeysOfLeaver({ usable, revoked }: KeysOfLeaver) {
  return { apiKeys: usable.map(toSummary), revokedApiKeys: revoked.map(toSummary) }
}

function toSummary({ id, name, role, organizationId, expiresAt }: ApiKeyRow): Static<typeof KeySummary> {
  return { id, name, role, organizationId, expiresAt: toIsoOrNull(expiresAt) }
}
