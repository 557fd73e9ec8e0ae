import type { CountedMembership } from './store.ts'

/**
 * Divides organizations by what a deletion of the user would do. The `blocking` ones would have members and no owner, and
 * the `deleted` ones no member. The user would leave the others.
 */
export function classifyMemberships(memberships: CountedMembership[]) {
  const isOnlyOwner = ({ role, otherOwnerCount }: CountedMembership) => role === 'owner' && otherOwnerCount === 0
  const [owned, left] = [memberships.filter(isOnlyOwner), memberships.filter((membership) => !isOnlyOwner(membership))]
  return {
    blocking: owned.filter(({ memberCount }) => memberCount > 1),
    deleted: owned.filter(({ memberCount }) => memberCount === 1),
    left,
  }
}
