import type { Kysely } from 'kysely'
import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockMembershipForShare } from '../../../core/memberships/lock-membership.ts'
import { lockSessionForUpdate, updateSessionRow } from '../../../core/sessions/store.ts'
import type { SessionRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { toJsonText } from '../../../platform/http/json-object.ts'
import { createReservedNames } from '../../../platform/http/reserved-names.ts'

/** A limit for the audit log, because the caller chooses the names. */
const FIELDS_LENGTH_MAXIMUM = 200
const PROPERTIES_BYTES_MAXIMUM = 4_096
type Reserved = keyof Tables['sessions'] | 'impersonationReason' | 'token'

const RESERVED: Record<Reserved, true> = {
  activeOrganizationId: true,
  authenticatedAt: true,
  authenticationMethods: true,
  createdAt: true,
  encryptedImpersonatorToken: true,
  expiresAt: true,
  id: true,
  impersonatedBy: true,
  impersonationReason: true,
  impersonatorSessionId: true,
  ipAddress: true,
  lastUsedAt: true,
  properties: true,
  rememberMe: true,
  token: true,
  tokenHash: true,
  updatedAt: true,
  userAgent: true,
  userId: true,
}
const isReserved = createReservedNames(Object.keys(RESERVED))

/** Null deletes a field. @throws ApiError FIELD_NOT_ALLOWED; ORGANIZATION_NOT_FOUND; VALIDATION_ERROR; UNAUTHORIZED */
export function updateSession(
  context: Context,
  actor: Actor,
  { session, user }: Caller,
  changes: Record<string, unknown>,
): Promise<SessionRow> {
  const { activeOrganizationId, ...properties } = changes
  const reserved = Object.keys(properties).find(isReserved)
  if (reserved !== undefined) {
    throw new ApiError('FIELD_NOT_ALLOWED', {
      field: reserved,
      message: `${reserved} is a reserved name and can't be set.`,
    })
  }

  return inTransaction(context, actor, async ({ transaction, record }) => {
    const chosen = await lockChosenOrganization(transaction, user.id, activeOrganizationId)
    const current = await lockSessionForUpdate(transaction, session.id)
    if (!current) throw new ApiError('UNAUTHORIZED')
    const change = {
      properties: merge(current.properties, properties),
      activeOrganizationId: chosen === undefined ? current.activeOrganizationId : chosen,
    }
    await updateSessionRow(transaction, session.id, change)
    const details = { sessionId: session.id, fields: Object.keys(changes).join(', ').slice(0, FIELDS_LENGTH_MAXIMUM) }
    await record({ action: 'session.updated', subjectId: user.id, details })
    return { ...current, ...change }
  })
}

/** Organizations are locked before sessions: one order of locks prevents deadlocks. */
async function lockChosenOrganization(
  transaction: Kysely<Tables>,
  userId: string,
  choice: unknown,
): Promise<string | null | undefined> {
  if (choice === undefined || choice === null) return choice
  if (typeof choice !== 'string' || !(await lockMembershipForShare(transaction, choice, userId)))
    throw new ApiError('ORGANIZATION_NOT_FOUND', { field: 'activeOrganizationId' })
  return choice
}

function merge(stored: string, changes: Record<string, unknown>): string {
  const merged = Object.entries({ ...(JSON.parse(stored) as Record<string, unknown>), ...changes })
  const properties = Object.fromEntries(merged.filter(([, value]) => value !== null))
  return toJsonText(properties, { field: 'session', bytesMaximum: PROPERTIES_BYTES_MAXIMUM })
}
