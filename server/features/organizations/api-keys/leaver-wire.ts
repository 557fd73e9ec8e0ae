import type { Static } from 'typebox'
import type { ApiKeyRow } from '../../../platform/database/tables.ts'
import { toIsoOrNull } from '../../../platform/http/time.ts'
import type { KeysOfLeaver } from './keys-of-leaver.ts'
import type { KeySummary, UsableKeySummary } from './leaver-schemas.ts'
import type { UsableApiKey } from './store.ts'

export function toKeysOfLeaver({ usable, revoked }: KeysOfLeaver) {
  return { apiKeys: usable.map(toUsable), revokedApiKeys: revoked.map(toSummary) }
}

function toUsable(key: UsableApiKey): Static<typeof UsableKeySummary> {
  return { ...toSummary(key), organizationName: key.organizationName }
}

function toSummary({ id, name, role, organizationId, expiresAt }: ApiKeyRow): Static<typeof KeySummary> {
  return { id, name, role, organizationId, expiresAt: toIsoOrNull(expiresAt) }
}
