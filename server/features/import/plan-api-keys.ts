import { KEY_PREFIX } from '../../platform/crypto/key-text.ts'
import type { Randomness } from '../../platform/crypto/tokens.ts'
import type { ApiKeyRow, MemberRow } from '../../platform/database/tables.ts'
import { parseApiKeyMetadata } from '../organizations/api-keys/metadata.ts'
import { findSubjectProblem, toId, toLine } from './convert-fields.ts'
import { type Finding, toFinding } from './report.ts'
import { readFlag, type SourceApiKey } from './source-rows.ts'
import { isUnreadableTime, readTime } from './source-time.ts'

const NAME_LENGTH_MAXIMUM = 100
const START_LENGTH_MAXIMUM = 100

/**
 * @param owner becomes the creator, because Better Auth does not store the creator of an API key
 * @param isSourceUser whether the source has a user with this id, imported or not
 */
export function planApiKeys(
  randomness: Randomness,
  owner: MemberRow,
  apiKeys: SourceApiKey[],
  isSourceUser: (id: string) => boolean,
  report: (finding: Finding) => void,
): ApiKeyRow[] {
  return apiKeys.flatMap((source) => {
    const id = toId(source.id)
    const problem = findOwnerProblem(source, owner, isSourceUser) ?? findProblem(source, randomness.now())
    if (problem === undefined && id !== undefined) return [toRow(id, owner, source, report)]
    report(toFinding('API key', source.id, problem ?? 'the id is not one that Accounts accepts'))
    return []
  })
}

function findOwnerProblem(
  { id }: SourceApiKey,
  { organizationId }: MemberRow,
  isSourceUser: (id: string) => boolean,
): string | undefined {
  // Users and organizations are numbered separately, and the API keys of a deleted user stay in the source. The column
  // configId does not help: only the settings of Better Auth say whether it means users.
  if (/^\d+$/.test(organizationId))
    return 'it may belong to a user with the number of the organization: create an API key here'
  if (isSourceUser(organizationId)) return 'it belongs to an organization or to a user of the same id'
  // The claim `sub` of a token has the id of a user or of an API key, so the ids must differ.
  return isSourceUser(id) ? 'a user has the same id' : findSubjectProblem(id)
}

function findProblem(source: SourceApiKey, now: number): string | undefined {
  if (!/^[\w-]{43}$/.test(source.key)) return 'it is not stored as a hash of Better Auth'
  if (source.permissions) return 'it has permissions, which Accounts does not have for API keys'
  if (source.remaining !== null && source.remaining !== undefined) return 'it has a quota, which Accounts does not have'
  if (`${source.prefix ?? ''}${source.start ?? ''}`.startsWith(KEY_PREFIX))
    return `it begins with ${KEY_PREFIX}, as only API keys of Accounts do`
  if (isUnreadableTime(source.expiresAt)) return "its expiry can't be read"
  return (readTime(source.expiresAt) ?? now + 1) <= now ? 'it has expired' : undefined
}

function toRow(id: string, owner: MemberRow, source: SourceApiKey, report: (finding: Finding) => void): ApiKeyRow {
  const createdAt = readTime(source.createdAt) ?? owner.createdAt
  const name = toLine(source.name, NAME_LENGTH_MAXIMUM)
  if (source.name && name === undefined)
    report(toFinding('API key', id, 'the name is refused, and "API key" replaces it'))
  const isEnabled = readFlag(source.enabled ?? true)
  if (isEnabled === undefined)
    report(toFinding('API key', id, 'the column "enabled" can\'t be read: the API key is disabled'))
  return {
    id,
    organizationId: owner.organizationId,
    name: name ?? 'API key',
    role: 'member',
    keyHash: source.key,
    enabled: isEnabled ? 1 : 0,
    expiresAt: readTime(source.expiresAt) ?? null,
    lastUsedAt: readTime(source.lastRequest) ?? null,
    lifetime: null,
    rotatedAt: null,
    createdBy: owner.userId,
    createdAt,
    updatedAt: readTime(source.updatedAt) ?? createdAt,
    metadata: toMetadata(id, source.metadata, report),
    start: toLine(source.start, START_LENGTH_MAXIMUM) ?? '',
    prefix: toLine(source.prefix, START_LENGTH_MAXIMUM) ?? '',
  }
}

function toMetadata(id: string, text: string | null | undefined, report: (finding: Finding) => void): string | null {
  try {
    return parseApiKeyMetadata(text || null)
  } catch {
    report(toFinding('API key', id, 'the metadata is refused, and is not imported'))
    return null
  }
}
