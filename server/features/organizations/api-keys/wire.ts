import type { Static } from 'typebox'
import { KEY_PREFIX, keyStart } from '../../../platform/crypto/key-text.ts'
import type { ApiKeyRow } from '../../../platform/database/tables.ts'
import { toIso, toIsoOrNull } from '../../../platform/http/time.ts'
import type { ApiKey, ListedApiKey } from './schemas.ts'
import type { ApiKeyWithCreator } from './store.ts'

const UNSUPPORTED = {
  configId: 'default',
  permissions: null,
  remaining: null,
  refillAmount: null,
  refillInterval: null,
  lastRefillAt: null,
  rateLimitEnabled: false,
  rateLimitMax: null,
  rateLimitTimeWindow: null,
  requestCount: 0,
} as const

export function toApiKey(row: ApiKeyRow): Static<typeof ApiKey> {
  const { id, name, role, organizationId } = row
  return {
    ...UNSUPPORTED,
    id,
    name,
    role,
    start: row.start ?? keyStart(id),
    prefix: row.prefix ?? KEY_PREFIX,
    organizationId,
    referenceId: organizationId,
    enabled: row.enabled === 1,
    expiresAt: toIsoOrNull(row.expiresAt),
    lastRequest: toIsoOrNull(row.lastUsedAt),
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, unknown>),
  }
}

export function toListedApiKey(row: ApiKeyWithCreator): Static<typeof ListedApiKey> {
  const { createdBy: userId, creatorName: name, creatorRole } = row
  const createdBy = { userId, name, isMember: creatorRole !== null }
  return { ...toApiKey(row), rotatedAt: toIsoOrNull(row.rotatedAt), createdBy }
}
