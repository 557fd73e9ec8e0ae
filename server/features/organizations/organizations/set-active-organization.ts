import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { lockMembershipForShare } from '../../../core/memberships/lock-membership.ts'
import { saveActiveOrganization } from '../../../core/sessions/active-organization.ts'
import type { OrganizationRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { getNamedMembership } from './named-membership.ts'

/**
 * Chooses the organization that the session's requests mean when they name none; an id of null chooses none, and
 * nothing named leaves the choice as it is.
 * @returns the active organization
 * @throws ApiError ORGANIZATION_NOT_FOUND where the caller is not in it
 */
export async function setActiveOrganization(
  context: Context,
  actor: Actor,
  caller: Caller,
  { organizationId, organizationSlug }: { organizationId?: string | null; organizationSlug?: string },
): Promise<OrganizationRow | null> {
  if (organizationId === null) {
    await inTransaction(context, actor, (unit) => chooseAndRecord(unit, caller, null))
    return null
  }
  const named = {
    ...(organizationId !== undefined && { organizationId }),
    ...(organizationSlug !== undefined && { organizationSlug }),
  }
  const membership = await getNamedMembership(context, caller, named)
  if (!membership) return null
  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const { organization } = membership
    if (!(await lockMembershipForShare(transaction, organization.id, caller.user.id)))
      throw new ApiError('ORGANIZATION_NOT_FOUND')
    await chooseAndRecord(unit, caller, organization.id)
    return organization
  })
}

async function chooseAndRecord(
  unit: UnitOfWork,
  { user, session }: Caller,
  activeOrganizationId: string | null,
): Promise<void> {
  const { transaction } = unit
  await saveActiveOrganization(transaction, session.id, activeOrganizationId)
  const details = { sessionId: session.id, activeOrganizationId }
  await unit.record({ action: 'session.updated', subjectId: user.id, details })
}
