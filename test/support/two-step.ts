import { randomBytes } from 'node:crypto'
import { replaceRecoveryCodes } from '../../server/core/two-step/recovery-code-store.ts'
import { insertSecondSteps } from '../../server/core/two-step/store.ts'
import { updateLockedUser } from '../../server/core/users/store.ts'
import { createRecoveryCodes, hashRecoveryCode } from '../../server/features/account/two-step/recovery-codes.ts'
import { codeOfCounter, SECRET_BYTES, timeStepAt } from '../../server/features/account/two-step/totp.ts'
import type { SecondStepMethod } from '../../server/platform/database/tables.ts'
import type { Answer, Client } from './client.ts'
import type { Service } from './service.ts'
import { newMember, PASSWORD, type TestMember } from './users.ts'

export interface TwoStep {
  secret: Buffer
  backupCodes: string[]
  /** The code of the authenticator app. @param now epoch milliseconds */
  codeAt(now: number): string
}

/** The rows that the setup of an authenticator app leaves. Sessions of the user stay as they are. */
export async function enableTotp(
  { context }: Pick<Service, 'context'>,
  { id: userId }: { id: string },
): Promise<TwoStep> {
  const secret = randomBytes(SECRET_BYTES)
  const encryptedSecret = context.keyring.encrypt('second step', secret.toString('base64url'))
  return { ...(await enable(context, userId, 'totp', encryptedSecret)), ...appOf(secret) }
}

/** A new member of a new organization, with an authenticator app. */
export async function userWithTotp(service: Service): Promise<TestMember & { app: TwoStep }> {
  const user = await newMember(service)
  return { ...user, app: await enableTotp(service, user) }
}

/** The rows that the setup of codes by email leaves. */
export function enableEmailCodes({ context }: Service, { id }: { id: string }): Promise<Pick<TwoStep, 'backupCodes'>> {
  return enable(context, id, 'otp', null)
}

async function enable(
  context: Service['context'],
  userId: string,
  method: SecondStepMethod,
  encryptedSecret: string | null,
): Promise<Pick<TwoStep, 'backupCodes'>> {
  const { database, now } = context
  const mailed = { codeMac: null, codeExpiresAt: null, codeFailures: 0 }
  const times = { createdAt: now(), verifiedAt: now() }
  const row = { userId, method, encryptedSecret, ...times, usedStep: null, ...mailed, sessionId: null }
  await insertSecondSteps(database, [row])
  const backupCodes = createRecoveryCodes(context)
  await replaceRecoveryCodes(database, row, backupCodes.map(hashRecoveryCode))
  await updateLockedUser(database, userId, { twoFactorEnabled: 1 })
  return { backupCodes }
}

/** The authenticator app that scanned the QR code. */
export function appOfUri(totpURI: string): Omit<TwoStep, 'backupCodes'> {
  const text = new URL(totpURI).searchParams.get('secret') ?? ''
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return appOf(Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))))
}

function appOf(secret: Buffer) {
  return { secret, codeAt: (now: number) => codeOfCounter(secret, timeStepAt(now)) }
}

/** The first step: the password. @returns the answer with `twoFactorToken` */
export function firstStep(client: Client, email: string, more: Record<string, unknown> = {}): Promise<Answer> {
  return client.post('/api/auth/sign-in/email', { email, password: PASSWORD, ...more })
}
