import { setTimeout as pause } from 'node:timers/promises'
import type { PasswordHasher } from '../../server/platform/crypto/passwords.ts'

/** Without a pause, requests that verify passwords would overlap less than in production. */
const PAUSE_MILLISECONDS = 10

const outcomes = new Map<string, boolean>()

/**
 * Remembers whether a hash matches a password, for all services of the process. Most tests verify the same few
 * passwords. argon2id takes 25 ms of CPU time in a thread of the lowest priority, which waits for seconds on a busy
 * machine.
 */
export function rememberPasswords(hasher: PasswordHasher): PasswordHasher {
  return {
    ...hasher,
    async hash(password) {
      const passwordHash = await hasher.hash(password)
      outcomes.set(keyOf(passwordHash, password), true)
      return passwordHash
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

function keyOf(passwordHash: string | undefined, password: string): string {
  return JSON.stringify([passwordHash, password])
}
