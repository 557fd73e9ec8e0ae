import type { Passkey } from '../api/passkeys.ts'
import type { TwoStepStatus } from '../api/two-step.ts'

/** Where two-step verification is required, the service refuses its setup without the passkey of a user who has one. */
export function wayToSecondStep(
  { enabled, requiredBy }: TwoStepStatus,
  passkeys: Passkey[] = [],
): 'code' | 'passkey' | 'setup' {
  if (enabled) return 'code'
  return requiredBy.length > 0 && passkeys.length > 0 ? 'passkey' : 'setup'
}
