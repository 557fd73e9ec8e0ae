import type { PlatformContext } from '../../platform/context.ts'
import type { Keyring, MacPurpose } from '../../platform/crypto/keyring.ts'
import { listSecretGenerations } from './store.ts'

const PURPOSES = ['audit entry', 'audit chain'] as const

/** The keys of a rotated SECRET. They verify the audit log up to the rotation, and decrypt nothing. */
export interface RetiredKeys {
  /** The sequence of the last event before the rotation. */
  lastSequence: number
  keyFor(purpose: MacPurpose): Buffer | undefined
}

export async function listRetiredKeys({ database, keyring }: PlatformContext): Promise<RetiredKeys[]> {
  const generations = await listSecretGenerations(database)
  return generations.flatMap(({ retiredKeys }) => (retiredKeys === null ? [] : [parse(decrypt(keyring, retiredKeys))]))
}

export function encryptRetiredKeys(keyring: Keyring, secretId: string, lastSequence: number): string {
  const keys = PURPOSES.map((purpose) => [purpose, keyring.macKeyOf(secretId, purpose).toString('base64url')])
  return keyring.encrypt('retired keys', JSON.stringify({ lastSequence, keys: Object.fromEntries(keys) }))
}

export function renewRetiredKeys(keyring: Keyring, retiredKeys: string): string {
  return keyring.encrypt('retired keys', decrypt(keyring, retiredKeys))
}

function decrypt(keyring: Keyring, retiredKeys: string): string {
  return keyring.decrypt('retired keys', retiredKeys)
}

function parse(text: string): RetiredKeys {
  const { lastSequence, keys } = JSON.parse(text) as { lastSequence: number; keys: Partial<Record<MacPurpose, string>> }
  return {
    lastSequence,
    keyFor(purpose) {
      const key = keys[purpose]
      return key === undefined ? undefined : Buffer.from(key, 'base64url')
    },
  }
}
