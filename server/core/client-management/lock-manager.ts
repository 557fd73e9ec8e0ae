import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import type { ClientManager } from '../access/access.ts'
import type { Context } from '../context.ts'
import { lockMembershipForUpdate } from '../memberships/lock-membership.ts'
import { lockStaffForShare } from '../users/lock-managed-user.ts'

/**
 * Comes first in each transaction that changes a client. Authorizes again: the role may have changed concurrently.
 * @returns the id of the organization that owns the client; null for the service
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN
 */
export async function lockManager(
  transaction: Kysely<Tables>,
  context: Pick<Context, 'now'>,
  manager: ClientManager,
): Promise<string | null> {
  if ('organization' in manager) return (await lockMembershipForUpdate(transaction, manager)).organization.id
  await lockStaffForShare(transaction, context, manager)
  return null
}

export function organizationIdOf(manager: ClientManager): string | null {
  return 'organization' in manager ? manager.organization.id : null
}

export function userIdOf(manager: ClientManager): string {
  return 'organization' in manager ? manager.member.userId : manager.user.id
}

export function ownerOf(organizationId: string | null): { organizationId?: string } {
  return organizationId === null ? {} : { organizationId }
}
