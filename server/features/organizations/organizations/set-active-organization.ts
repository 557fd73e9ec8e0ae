import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { lockMembershipForShare } from '../../../core/memberships/lock-membership.ts'
import { updateSessionRow } from '../../../core/sessions/store.ts'
import type { OrganizationRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { resolveNamedMembership } from './named-membership.ts'

/**
 * An id of null clears the active organization. Without id and slug, nothing changes.
 * @throws ApiError ORGANIZATION_NOT_FOUND; UNAUTHORIZED when the session is revoked concurrently
 */
export async function setActiveOrganization(
  context: Context,
  actor: Actor,
  caller: Caller,
  { organizationId, organizationSlug }: { organizationId?: string | null; organizationSlug?: string },
): Promise<OrganizationRow | null> {
  if (organizationId === null) {
    await inTransaction(context, actor, (unit) => saveAndRecord(unit, caller, null))
    return null
  }
  const named = {
    ...(organizationId !== undefined && { organizationId }),
    ...(organizationSlug !== undefined && { organizationSlug }),
  }
  const membership = await resolveNamedMembership(context, caller, named)
  if (!membership) return null
  if (Object.keys(named).length === 0) return membership.organization
  return inTransaction(context, actor, async (unit) => {
    const { organization } = membership
    if (!(await lockMembershipForShare(unit.transaction, organization.id, caller.user.id)))
      throw new ApiError('ORGANIZATION_NOT_FOUND')
    await saveAndRecord(unit, caller, organization.id)
    return organization
  })
}

async function saveAndRecord(
  { transaction, record }: UnitOfWork,
  { user, session }: Caller,
  activeOrganizationId: string | null,
): Promise<void> {
  if (!(await updateSessionRow(transaction, session.id, { activeOrganizationId }))) throw new ApiError('UNAUTHORIZED')
  const details = { sessionId: session.id, activeOrganizationId }
  await record({ action: 'session.updated', subjectId: user.id, details })
}
