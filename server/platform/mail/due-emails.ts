import type { ExpressionBuilder } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { HOUR_MILLISECONDS } from '../time/time-units.ts'

/** A time further ahead was written by a clock that was ahead: delays, leases and clock differences are shorter. */
export const IMPOSSIBLE_MILLISECONDS = HOUR_MILLISECONDS

/** Lists ask for `createdAt`: until then, the cause of an email that is sent later may take it back. */
export function isDue(column: 'createdAt' | 'nextAttemptAt', now: number) {
  return ({ or, eb }: ExpressionBuilder<Tables, 'outbox'>) =>
    or([eb(column, '<=', now), eb(column, '>', now + IMPOSSIBLE_MILLISECONDS)])
}
