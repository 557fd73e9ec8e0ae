import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { Membership } from '../http/access.ts'
import { lockMembership } from '../members/lock-membership.ts'
import { lockSessionsIn } from '../sessions/lock-sessions.ts'
import { deleteOrganizationRow } from './store.ts'

/**
 * Deletes an organization with its members, invitations and keys. The people stay.
 * @returns its id
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN
 */
export function deleteOrganization(context: Context, actor: Actor, membership: Membership): Promise<string> {
  return context.database.transaction().execute(async (transaction) => {
    const { organization } = await lockMembership(transaction, membership, 'organization.delete')
    await lockSessionsIn(transaction, organization.id)
    await deleteOrganizationRow(transaction, organization.id)
    await recordEvent(transaction, context, actor, {
      action: 'organization.deleted',
      organizationId: organization.id,
      details: { slug: organization.slug },
    })
    return organization.id
  })
}
