import { PASSWORD_PROVIDER } from '../../core/credentials/password-store.ts'
import { parseBetterAuthHash } from '../../platform/crypto/scrypt-hash.ts'
import { newId, type Randomness } from '../../platform/crypto/tokens.ts'
import type { AccountRow, UserRow } from '../../platform/database/tables.ts'
import type { SourceUser } from './source-rows.ts'
import { readTime } from './source-time.ts'

export function planPassword(
  randomness: Randomness,
  user: UserRow,
  accounts: SourceUser['accounts'],
  report: (problem: string) => void,
): AccountRow | undefined {
  for (const { providerId } of accounts)
    if (providerId !== PASSWORD_PROVIDER) report(`sign-in with "${providerId}" is not imported`)
  const source = accounts.find(({ providerId, password }) => providerId === PASSWORD_PROVIDER && password)
  if (!source) return undefined
  const passwordHash = parseBetterAuthHash(source.password ?? '')
  if (passwordHash === undefined) {
    report('the hash of the password is not one of Better Auth, and is not imported')
    return undefined
  }
  const createdAt = readTime(source.createdAt) ?? user.createdAt
  return {
    id: newId('lac', randomness),
    userId: user.id,
    providerId: PASSWORD_PROVIDER,
    accountId: user.id,
    passwordHash,
    createdAt,
    updatedAt: readTime(source.updatedAt) ?? createdAt,
  }
}
