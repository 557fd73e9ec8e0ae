import type { Context } from '../context.ts'
import { hasImportedHash } from './password-store.ts'

/**
 * Verifies the password of a sign-in. scrypt takes longer than argon2id, so the time of a refusal would tell imported users
 * from unknown email addresses. While there is an imported hash, every refusal costs both.
 */
export async function verifySignInPassword(
  { database, passwords }: Pick<Context, 'database' | 'passwords'>,
  passwordHash: string | undefined,
  password: string,
): Promise<boolean> {
  if (await passwords.verify(passwordHash, password)) return true
  if (await hasImportedHash(database)) await passwords.spendOtherAlgorithm(passwordHash, password)
  return false
}
