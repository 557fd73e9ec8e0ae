import type { EndingMembership } from './store.ts'

/**
 * Divides organizations by what a deletion of the user would do. The `blocking` ones would have members and no owner, and
 * the `deleted` ones no member. The user would leave the others.
 */
export function classifyMemberships(memberships: EndingMembership[]) {
  const isOnlyOwner = ({ role, hasOtherOwner }: EndingMembership) => role === 'owner' && !hasOtherOwner
  const [owned, left] = [memberships.filter(isOnlyOwner), memberships.filter((membership) => !isOnlyOwner(membership))]
  return {
    blocking: owned.filter(({ hasOtherMember }) => hasOtherMember),
    deleted: owned.filter(({ hasOtherMember }) => !hasOtherMember),
    left,
  }
}
