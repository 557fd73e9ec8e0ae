import type { Context } from '../../../core/context.ts'
import { hasImportedHash } from '../../../core/credentials/password-store.ts'

/** scrypt is slower than argon2id. Each refusal costs both, or its time would tell imported users from unknown ones. */
export async function verifySignInPassword(
  { database, passwords }: Pick<Context, 'database' | 'passwords'>,
  passwordHash: string | undefined,
  password: string,
): Promise<boolean> {
  if (await passwords.verify(passwordHash, password)) return true
  if (await hasImportedHash(database)) await passwords.spendOtherAlgorithm(passwordHash, password)
  return false
}
