import type { Kysely } from 'kysely'
import { findLockEnd } from '../../../core/two-step/failures.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** @throws ApiError ACCOUNT_TEMPORARILY_LOCKED */
export async function assertNotLocked(transaction: Kysely<Tables>, now: number, userId: string): Promise<void> {
  const end = await findLockEnd(transaction, userId, now)
  if (end === undefined) return
  throw new ApiError('ACCOUNT_TEMPORARILY_LOCKED', { retryAfterSeconds: Math.ceil((end - now) / 1000) })
}
