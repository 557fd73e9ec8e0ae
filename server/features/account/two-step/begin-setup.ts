import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { lockCaller } from '../../../core/sessions/lock-caller.ts'
import { assertMayChangeFactors } from '../../../core/two-step/assert-may-change-factors.ts'
import { replaceRecoveryCodes } from '../../../core/two-step/recovery-code-store.ts'
import { deleteSecondStep, findVerifiedSecondStep, insertSecondSteps } from '../../../core/two-step/store.ts'
import type { SecondStepMethod } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { toIso } from '../../../platform/http/time.ts'
import { reauthenticate } from './reauthenticate.ts'
import { createRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts'
import { SECRET_BYTES, totpUri } from './totp.ts'

interface Setup {
  password: string | undefined
  method: SecondStepMethod
  issuer: string | undefined
}

/**
 * The first verified code turns the second step on. Until then, a user of codes by email still signs in with them.
 * @throws ApiError TOTP_ALREADY_ENABLED; TWO_FACTOR_ALREADY_ENABLED; as `reauthenticate`, `lockCaller` and
 *   `assertMayChangeFactors`
 */
export async function beginTwoStepSetup(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  caller: Caller,
  { password, method, issuer = context.config.brand.name }: Setup,
): Promise<{ method: SecondStepMethod; totpURI?: string; backupCodes: string[]; createdAt: string }> {
  await reauthenticate(context, rateLimits, actor, caller, password)
  const { keyring, now, randomBytes } = context
  const { id: userId, email } = caller.user
  const secret = randomBytes(SECRET_BYTES)
  const row = {
    userId,
    method,
    encryptedSecret: method === 'totp' ? keyring.encrypt('second step', secret.toString('base64url')) : null,
    createdAt: now(),
    verifiedAt: null,
    usedStep: null,
    codeMac: null,
    codeExpiresAt: null,
    codeFailures: 0,
    sessionId: caller.session.id,
  }
  const backupCodes = createRecoveryCodes(context)
  await inTransaction(context, actor, async ({ transaction, record }) => {
    await lockCaller(transaction, now(), caller)
    await assertMayChangeFactors(transaction, context.config, caller)
    const verified = await findVerifiedSecondStep(transaction, userId)
    if (verified?.method === 'totp') throw new ApiError('TOTP_ALREADY_ENABLED')
    if (verified && method === 'otp') throw new ApiError('TWO_FACTOR_ALREADY_ENABLED')
    await deleteSecondStep(transaction, userId, method)
    await insertSecondSteps(transaction, [row])
    await replaceRecoveryCodes(transaction, row, backupCodes.map(hashRecoveryCode))
    await record({ action: 'recovery-codes.created', subjectId: userId, details: { method } })
  })
  const app = method === 'totp' && { totpURI: totpUri(secret, issuer, email) }
  return { method, ...app, backupCodes, createdAt: toIso(row.createdAt) }
}
