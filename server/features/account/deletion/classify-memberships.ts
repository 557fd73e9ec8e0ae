import type { EndingMembership } from './store.ts'

/** After the deletion, the `blocking` organizations would have no owner, and the `deleted` ones no member. */
export function classifyMemberships(memberships: EndingMembership[]) {
  const isOnlyOwner = ({ role, hasOtherOwner }: EndingMembership) => role === 'owner' && !hasOtherOwner
  const [owned, left] = [memberships.filter(isOnlyOwner), memberships.filter((membership) => !isOnlyOwner(membership))]
  return {
    blocking: owned.filter(({ hasOtherMember }) => hasOtherMember),
    deleted: owned.filter(({ hasOtherMember }) => !hasOtherMember),
    left,
  }
}
