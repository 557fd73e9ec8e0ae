import type { SecondStepRow } from '../../platform/database/tables.ts'
import { decryptOfSource } from './source-cipher.ts'
import { SourceError } from './source-error.ts'
import { readFlag, type SourceTwoFactor, type SourceUser } from './source-rows.ts'

/** Encrypts the secret of an authenticator app under our SECRET. @returns undefined when it can't be decrypted */
export type ConvertSecret = (encrypted: string) => string | undefined

export function createSecretConverter(sourceSecrets: string[], encrypt: (text: string) => string): ConvertSecret {
  return (encrypted) => {
    const text = decryptOfSource(sourceSecrets, encrypted)
    // Better Auth uses the text itself as the key of the codes.
    return text === undefined ? undefined : encrypt(Buffer.from(text).toString('base64url'))
  }
}

/**
 * With a wrong secret, every user would lose the app. One decrypted text shows that the secret is right.
 * @throws SourceError when there are texts and none can be decrypted
 */
export async function assertSecretsDecrypt(
  sourceSecrets: string[],
  twoFactors: AsyncIterable<SourceTwoFactor[]>,
): Promise<void> {
  if (sourceSecrets.length === 0) return
  let count = 0
  let isDecrypted = false
  for await (const batch of twoFactors) {
    count += batch.length
    isDecrypted ||= batch.some(({ secret }) => decryptOfSource(sourceSecrets, secret) !== undefined)
  }
  if (count > 0 && !isDecrypted)
    throw new SourceError(
      'neither BETTER_AUTH_SECRET nor BETTER_AUTH_SECRETS decrypts its authenticator secrets. Correct them, or import without them: then users with an authenticator app get codes by email',
    )
}

/** A user with a second step must keep one: codes by email replace an authenticator app without its secret. */
export function planSecondStep(
  userId: string,
  { twoFactorEnabled, twoFactors }: Pick<SourceUser, 'twoFactorEnabled' | 'twoFactors'>,
  now: number,
  convertSecret: ConvertSecret,
  report: (problem: string) => void,
): SecondStepRow | undefined {
  const isEnabled = readFlag(twoFactorEnabled)
  if (isEnabled === false) return undefined
  if (isEnabled === undefined) report('the column "twoFactorEnabled" can\'t be read: the user gets a second step')
  // Earlier versions of Better Auth stored an authenticator app only when it was verified.
  const app = twoFactors.find(
    ({ verified }) => verified === undefined || verified === null || readFlag(verified) !== false,
  )
  if (app && readFlag(app.verified) === undefined)
    report('the column "verified" can\'t be read: the app counts as verified')
  const encryptedSecret = app && convertSecret(app.secret)
  if (encryptedSecret === undefined)
    report('codes by email replace the second step, until the user sets up an authenticator app again')
  else report('the recovery codes of the authenticator app are not imported: the user creates new ones')
  return {
    userId,
    method: encryptedSecret === undefined ? 'otp' : 'totp',
    encryptedSecret: encryptedSecret ?? null,
    createdAt: now,
    verifiedAt: now,
    usedStep: null,
    codeMac: null,
    codeExpiresAt: null,
    codeFailures: 0,
    sessionId: null,
  }
}
