import type { Context } from '../../core/context.ts'
import { dayOf, hourOf } from '../../platform/statistics/store.ts'

export function countToken(
  { now, pendingCounts, totals }: Pick<Context, 'now' | 'pendingCounts' | 'totals'>,
  organization: { id: string; slug: string } | undefined,
): void {
  pendingCounts.add([{ name: 'token', hour: hourOf(now()), detail: '' }])
  if (!organization) return
  pendingCounts.add([{ name: 'token-organization', hour: dayOf(now()), detail: organization.id }])
  totals.increment('accounts_tokens_minted_total', organization.slug)
}
