import type { UnitOfWork } from '../../../core/in-transaction.ts'
import { AUTHENTICATION_METHODS } from '../../../core/sessions/authentication-methods.ts'
import { consumeRecoveryCode } from '../../../core/two-step/recovery-code-store.ts'
import {
  consumeTimeStep,
  findUsableSecondStep,
  findVerifiedSecondStep,
  updateSecondStep,
} from '../../../core/two-step/store.ts'
import type { AuthenticationMethods, SecondStepMethod } from '../../../platform/database/tables.ts'
import type { ErrorCode } from '../../../platform/http/errors.ts'
import { CODE_FAILURES_MAXIMUM, isCodeLive, isMailedCode } from './mailed-code.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import type { CodeSubject } from './subject.ts'
import { findTimeStep } from './totp.ts'

/** `used`: the code was right once. It is no guess, so it does not count as a failure. */
type Verdict = 'right' | 'wrong' | 'used' | ErrorCode

export interface Factor {
  name: 'totp' | 'otp' | 'recovery code'
  method: SecondStepMethod | undefined
  wrongCode: 'INVALID_CODE' | 'INVALID_BACKUP_CODE'
  authenticationMethods: AuthenticationMethods
  verify(unit: UnitOfWork, subject: CodeSubject, code: string): Promise<Verdict>
}

export const AUTHENTICATOR_APP: Factor = {
  name: 'totp',
  method: 'totp',
  wrongCode: 'INVALID_CODE',
  authenticationMethods: AUTHENTICATION_METHODS['password and code'],
  async verify({ transaction, context }, subject, code) {
    const step = await findUsableSecondStep(transaction, context.now(), subject, 'totp')
    if (!step?.encryptedSecret) return 'TOTP_NOT_ENABLED'
    const secret = Buffer.from(context.keyring.decrypt('second step', step.encryptedSecret), 'base64url')
    const timeStep = findTimeStep(secret, withoutSpaces(code), context.now())
    if (timeStep === undefined) return 'wrong'
    return (await consumeTimeStep(transaction, subject.user.id, timeStep)) ? 'right' : 'used'
  },
}

export const EMAIL_CODE: Factor = {
  name: 'otp',
  method: 'otp',
  wrongCode: 'INVALID_CODE',
  authenticationMethods: AUTHENTICATION_METHODS['password and code'],
  async verify({ transaction, context }, subject, code) {
    const { user, binding } = subject
    const step = await findUsableSecondStep(transaction, context.now(), subject, 'otp')
    if (!step) return 'OTP_NOT_ENABLED'
    if (step.codeMac === null || !isCodeLive(step, context.now())) return 'OTP_HAS_EXPIRED'
    if (step.codeFailures >= CODE_FAILURES_MAXIMUM) return 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'
    if (isMailedCode(context.keyring, step.codeMac, { userId: user.id, binding, code: withoutSpaces(code) })) {
      await updateSecondStep(transaction, step, { codeMac: null })
      return 'right'
    }
    await updateSecondStep(transaction, step, { codeFailures: step.codeFailures + 1 })
    return 'wrong'
  },
}

export const RECOVERY_CODE: Factor = {
  name: 'recovery code',
  method: undefined,
  wrongCode: 'INVALID_BACKUP_CODE',
  authenticationMethods: AUTHENTICATION_METHODS['password and recovery code'],
  async verify({ transaction }, { user }, code) {
    const step = await findVerifiedSecondStep(transaction, user.id)
    if (!step) return 'BACKUP_CODES_NOT_ENABLED'
    return (await consumeRecoveryCode(transaction, step, hashRecoveryCode(code))) ? 'right' : 'wrong'
  },
}

/** Apps show codes in groups. */
function withoutSpaces(code: string): string {
  return code.replaceAll(' ', '')
}
