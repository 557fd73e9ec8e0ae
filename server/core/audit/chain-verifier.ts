import type { PlatformContext } from '../../platform/context.ts'
import { isMacOf, type Keyring } from '../../platform/crypto/keyring.ts'
import { listRetiredKeys } from '../secret-generations/retired-keys.ts'

export type VerifyMac = Keyring['verifyMac']

/** A retired SECRET is valid up to the position at its rotation: a later MAC is a forgery with the old SECRET. */
export async function createChainVerifier(context: PlatformContext): Promise<(sequence: number) => VerifyMac> {
  const retired = await listRetiredKeys(context)
  return (sequence) => (purpose, text, mac) => {
    if (context.keyring.verifyMac(purpose, text, mac)) return true
    return retired.some((keys) => {
      const key = sequence <= keys.lastSequence ? keys.keyFor(purpose) : undefined
      return key !== undefined && isMacOf(key, text, mac)
    })
  }
}
