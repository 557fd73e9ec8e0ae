import type { Kysely } from 'kysely'
import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockMembershipForShare } from '../../../core/memberships/lock-membership.ts'
import { lockSessionForUpdate, saveSessionProperties } from '../../../core/sessions/store.ts'
import type { SessionRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { toJsonText } from '../../../platform/http/json-object.ts'

/** Of the names in the audit log: a caller chooses them. */
const FIELDS_LENGTH_MAXIMUM = 200
const PROPERTIES_BYTES_MAXIMUM = 4_096
/** What the service itself says of a session; of these only `activeOrganizationId` is the holder's to choose. */
const RESERVED = new Set([
  'authenticatedAt',
  'createdAt',
  'expiresAt',
  'id',
  'impersonatedBy',
  'ipAddress',
  'properties',
  'rememberMe',
  'token',
  'tokenHash',
  'updatedAt',
  'userAgent',
  'userId',
])

/**
 * Keeps arbitrary properties on the caller's session; a null takes one away.
 * @throws ApiError FIELD_NOT_ALLOWED for a field of ours; ORGANIZATION_NOT_FOUND where the caller is not a member;
 *   VALIDATION_ERROR when all of them together are over 4,096 bytes of JSON, or too deeply nested
 */
export function updateSession(
  context: Context,
  actor: Actor,
  { session, user }: Caller,
  changes: Record<string, unknown>,
): Promise<SessionRow> {
  const reserved = Object.keys(changes).find((name) => RESERVED.has(name))
  if (reserved !== undefined) {
    throw new ApiError('FIELD_NOT_ALLOWED', {
      field: reserved,
      message: `${reserved} is kept by the service and can not be set.`,
    })
  }
  const { activeOrganizationId, ...properties } = changes

  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const chosen = await holdChosen(transaction, user.id, activeOrganizationId)
    const current = await lockSessionForUpdate(transaction, session.id)
    if (!current) throw new ApiError('UNAUTHORIZED')
    const change = {
      properties: merge(current.properties, properties),
      activeOrganizationId: chosen === undefined ? current.activeOrganizationId : chosen,
    }
    await saveSessionProperties(transaction, session.id, change)
    const details = { sessionId: session.id, fields: Object.keys(changes).join(', ').slice(0, FIELDS_LENGTH_MAXIMUM) }
    await unit.record({ action: 'session.updated', subjectId: user.id, details })
    return { ...current, ...change }
  })
}

/** An organization must be held before the session is locked. @returns undefined where nothing is said of it */
async function holdChosen(
  transaction: Kysely<Tables>,
  userId: string,
  choice: unknown,
): Promise<string | null | undefined> {
  if (choice === undefined || choice === null) return choice
  if (typeof choice !== 'string' || !(await lockMembershipForShare(transaction, choice, userId)))
    throw new ApiError('ORGANIZATION_NOT_FOUND', { field: 'activeOrganizationId' })
  return choice
}

function merge(kept: string, changes: Record<string, unknown>): string {
  const merged = Object.entries({ ...(JSON.parse(kept) as Record<string, unknown>), ...changes })
  const properties = Object.fromEntries(merged.filter(([, value]) => value !== null))
  return toJsonText(properties, { field: 'session', bytesMaximum: PROPERTIES_BYTES_MAXIMUM })
}
