import type { UserListing } from './parse-query.ts'
import { fittingValues } from './standing.ts'
import type { Totals } from './totals.ts'

/**
 * How SQLite gets at a page: it fetches everybody who fits, and sorts them; or it goes through everybody in the order
 * of the page and checks each, until the page is full; or it first marks everybody who fits, by indexes alone, and then
 * goes through an index in the order of the page.
 */
export type Way = 'as the planner decides' | 'fetch and sort' | 'check in order' | 'mark, then pick in order'

/** Of one person, as measured among a million; only their proportions count. */
const COST = { fetch: 5, mark: 1.5, pass: 1 }
/** People lie in the file in the order in which they were made: going through them by these is not fetching here and there. */
const FILE_ORDER = ['createdAt', 'id', 'twoFactorEnabled']

/** SQLite's planner can't know how many people a condition finds; we have just counted them. */
export function chooseWay(listing: UserListing, { total, everybody }: Totals): Way {
  const { conditions, sortBy, limit, offset } = listing
  if (conditions.every(({ column, operator }) => column === sortBy && !isPattern(operator)))
    return 'as the planner decides'
  const isOneStanding = conditions.length === 1 && conditions.every((one) => fittingValues(one)?.length === 1)
  // There is an index for just that.
  if (isOneStanding && sortBy === 'createdAt') return 'as the planner decides'
  const met = Math.min(everybody, ((offset + limit) * everybody) / total)
  const costs: [Way, number][] = [
    ['fetch and sort', total * COST.fetch],
    ['check in order', met * (FILE_ORDER.includes(sortBy) ? COST.pass : COST.fetch)],
    ['mark, then pick in order', total * COST.mark + met * COST.pass],
  ]
  const [[cheapest] = ['fetch and sort' as const]] = costs.sort(([, one], [, other]) => one - other)
  return cheapest
}

function isPattern(operator: UserListing['conditions'][number]['operator']): boolean {
  return operator === 'contains' || operator === 'ends_with'
}
