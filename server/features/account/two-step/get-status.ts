import type { Static } from 'typebox'
import type { Caller } from '../../../core/access/caller.ts'
import { hasSecondStep } from '../../../core/access/second-step.ts'
import type { Context } from '../../../core/context.ts'
import { hasPassword } from '../../../core/credentials/password-store.ts'
import { listTwoStepRequirements } from '../../../core/organizations/list-two-step-requirements.ts'
import { countRecoveryCodes } from '../../../core/two-step/recovery-code-store.ts'
import { findVerifiedSecondStep } from '../../../core/two-step/store.ts'
import { toIsoOrNull } from '../../../platform/http/time.ts'
import type { TwoStepStatus } from './schemas.ts'

export async function getTwoStepStatus(
  context: Context,
  { user, session }: Caller,
): Promise<Static<typeof TwoStepStatus>> {
  const { database } = context
  const step = await findVerifiedSecondStep(database, user.id)
  const requiredBy = await listTwoStepRequirements(context, user)
  return {
    enabled: step !== undefined,
    method: step?.method ?? null,
    enabledAt: toIsoOrNull(step?.verifiedAt ?? null),
    remainingBackupCodes: step ? await countRecoveryCodes(database, step) : 0,
    hasPassword: await hasPassword(database, user.id),
    requiredBy,
    isSatisfied: requiredBy.length === 0 || hasSecondStep(session),
  }
}
