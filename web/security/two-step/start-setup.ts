import { enableTwoStep, sendCode, type TwoStepMethod } from '../../shared/api/two-step.ts'
import type { Step } from './TwoStep.tsx'

/** Two-step verification does not change before the first code. */
export async function startSetup(method: TwoStepMethod, password: string | undefined): Promise<Step> {
  const { totpURI, backupCodes: recoveryCodes, createdAt } = await enableTwoStep(method, password)
  if (totpURI !== undefined) return { name: 'confirm app', totpURI, createdAt, recoveryCodes }
  await sendCode()
  return { name: 'confirm email', createdAt, recoveryCodes }
}
