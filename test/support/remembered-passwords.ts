import { setTimeout as pause } from 'node:timers/promises'
import { createPasswordHasher, type PasswordHasher } from '../../server/platform/crypto/passwords.ts'

/** Without a pause, requests that hash or verify passwords would overlap less than in production. */
const PAUSE_MILLISECONDS = 10

const hashes = new Map<string, string>()
const outcomes = new Map<string, boolean>()

/**
 * Remembers the hash of a password, and whether a hash matches a password, for all services of the process. Most tests
 * use the same few passwords. argon2id takes 25 ms of CPU time in a thread of the lowest priority, which waits for
 * seconds on a busy machine. The start of the thread takes 30 ms of CPU time.
 */
export function rememberPasswords(hasher: PasswordHasher): PasswordHasher {
  return {
    ...hasher,
    async hash(password) {
      const known = hashes.get(password)
      if (known === undefined) {
        const passwordHash = await hashAgain(hasher, password)
        hashes.set(password, passwordHash)
        return passwordHash
      }
      await pause(PAUSE_MILLISECONDS)
      return known
    },
    async verify(passwordHash, password) {
      const key = keyOf(passwordHash, password)
      const known = outcomes.get(key)
      if (known === undefined) {
        const outcome = await hasher.verify(passwordHash, password)
        outcomes.set(key, outcome)
        return outcome
      }
      await pause(PAUSE_MILLISECONDS)
      return known
    },
  }
}

/** A new hash, which differs from the one that services store. Services remember that it matches the password. */
export async function createOtherHash(password: string): Promise<string> {
  const hasher = createPasswordHasher(1)
  try {
    return await hashAgain(hasher, password)
  } finally {
    await hasher.close()
  }
}

async function hashAgain(hasher: PasswordHasher, password: string): Promise<string> {
  const passwordHash = await hasher.hash(password)
  outcomes.set(keyOf(passwordHash, password), true)
  return passwordHash
}

function keyOf(passwordHash: string | undefined, password: string): string {
  return JSON.stringify([passwordHash, password])
}
