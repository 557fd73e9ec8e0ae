import type { Context } from '../../../core/context.ts'
import {
  listTwoStepRequirements,
  type TwoStepRequirement,
} from '../../../core/organizations/list-two-step-requirements.ts'
import { findLockEnd } from '../../../core/two-step/failures.ts'
import { countRecoveryCodes } from '../../../core/two-step/recovery-code-store.ts'
import { findVerifiedSecondStep } from '../../../core/two-step/store.ts'
import type { SecondStepMethod, UserRow } from '../../../platform/database/tables.ts'

export interface TwoStepFacts {
  /** Undefined when two-step verification is off. */
  method: SecondStepMethod | undefined
  lockEndsAt: number | undefined
  recoveryCodeCount: number
  requiredBy: TwoStepRequirement[]
}

export async function readTwoStep(context: Context, user: UserRow): Promise<TwoStepFacts> {
  const { slowReads, now } = context
  const step = await findVerifiedSecondStep(slowReads, user.id)
  return {
    method: step?.method,
    lockEndsAt: await findLockEnd(slowReads, user.id, now()),
    recoveryCodeCount: step ? await countRecoveryCodes(slowReads, step) : 0,
    requiredBy: await listTwoStepRequirements({ ...context, database: slowReads }, user),
  }
}
