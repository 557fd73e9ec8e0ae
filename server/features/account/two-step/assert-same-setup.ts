import type { Kysely } from 'kysely'
import { findSecondStep } from '../../../core/two-step/store.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { toIso } from '../../../platform/http/time.ts'
import type { Attempt } from './attempt.ts'

/** Another tab may have replaced the setup and its recovery codes. @throws ApiError TWO_FACTOR_SETUP_REPLACED */
export async function assertSameSetup(
  transaction: Kysely<Tables>,
  userId: string,
  { factor: { method }, expectedCreatedAt }: Pick<Attempt, 'factor' | 'expectedCreatedAt'>,
): Promise<void> {
  if (method === undefined || expectedCreatedAt === undefined) return
  const step = await findSecondStep(transaction, userId, method)
  if (!step || toIso(step.createdAt) !== expectedCreatedAt)
    throw new ApiError('TWO_FACTOR_SETUP_REPLACED', { field: 'expectedCreatedAt' })
}
