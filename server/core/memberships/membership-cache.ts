import { ExactCache } from '../../platform/database/exact-cache.ts'
import type { RowChanges } from '../../platform/database/row-changes.ts'
import type { Membership } from '../access/access.ts'
import type { Context } from '../context.ts'
import { findMembership, type OrganizationReference } from './find-membership.ts'

const ENTRIES_MAXIMUM = 10_000

export type FindMembership = (userId: string, reference: OrganizationReference) => Promise<Membership | undefined>

/** @param rowChanges undefined switches the cache off */
export function createMembershipFinder({ database }: Context, rowChanges: RowChanges | undefined): FindMembership {
  if (!rowChanges) return (userId, reference) => findMembership(database, userId, reference)
  const cache = new ExactCache<Membership>(
    rowChanges,
    ENTRIES_MAXIMUM,
    [
      { table: 'members', column: 'userId', keyOf: ({ member }) => member.userId },
      { table: 'organizations', column: 'id', keyOf: ({ organization }) => organization.id },
    ],
    ({ organization: { metadata, logo } }) => (metadata?.length ?? 0) + (logo?.length ?? 0),
  )

  return (userId, reference) => {
    const key = JSON.stringify([userId, reference.id, reference.slug])
    return cache.find(key, () => findMembership(database, userId, reference))
  }
}
