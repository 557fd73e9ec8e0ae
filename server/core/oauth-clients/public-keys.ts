import { createPublicKey, type JsonWebKeyInput } from 'node:crypto'
import { hasSafeStructure } from '../../platform/http/json-object.ts'

const RSA_BITS_MINIMUM = 2048
const BYTES_MAXIMUM = 16_384
/** RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const TEXT_MEMBERS = ['kid', 'alg', 'use']
const USED_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', ...TEXT_MEMBERS]
const FORM = 'must have public keys in the form of RFC 7517'

export type PublicKey = Record<string, unknown>

/** Drops other members: in memory, `"extra": [{}, {}]` takes twenty times its length. @throws Error above 16 KiB */
export function pickUsableKeys(keys: unknown[]): PublicKey[] {
  const picked = keys.filter(isUsableKey).map((key) => {
    const used = USED_MEMBERS.filter((member) => typeof key[member] === 'string')
    return Object.fromEntries(used.map((member) => [member, key[member]]))
  })
  if (Buffer.byteLength(JSON.stringify(picked)) > BYTES_MAXIMUM) throw new Error('The keys have more than 16 KiB.')
  return picked
}

function isUsableKey(key: unknown): key is PublicKey {
  if (typeof key !== 'object' || key === null) return false
  const { key_ops } = key as PublicKey
  // RFC 7517, section 4.3.
  const isForOther = Array.isArray(key_ops) && !key_ops.includes('verify')
  return !isForOther && findKeyFault(key as PublicKey) === undefined
}

/** @returns the fault as the end of a sentence, without the keys */
export function findKeysFault({ keys }: { keys: PublicKey[] }): string | undefined {
  if (!hasSafeStructure(keys)) return FORM
  if (Buffer.byteLength(JSON.stringify(keys)) > BYTES_MAXIMUM) return 'must have at most 16 KiB'
  return keys.map(findKeyFault).find((fault) => fault !== undefined)
}

function findKeyFault(key: PublicKey): string | undefined {
  if (key.kty === 'oct' || PRIVATE_MEMBERS.some((member) => member in key))
    return 'must have public keys only: create a new key, because this private key has been sent'
  if (!hasTextMembers(key)) return FORM
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({
      key: key as JsonWebKeyInput['key'],
      format: 'jwk',
    })
    const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {}
    if (asymmetricKeyType === 'rsa' && modulusLength >= RSA_BITS_MINIMUM) return undefined
    if (asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return undefined
    if (asymmetricKeyType === 'ed25519') return undefined
  } catch {
    return FORM
  }
  return 'must have RSA keys of at least 2048 bits, EC keys on P-256, or Ed25519 keys'
}

/** RFC 7517, section 4. The library refuses every request of a client that has a member of another type. */
function hasTextMembers(key: PublicKey): boolean {
  const { x5c = [] } = key
  const texts = TEXT_MEMBERS.filter((member) => member in key).map((member) => key[member])
  return Array.isArray(x5c) && [...texts, ...x5c].every((text) => typeof text === 'string' && text !== '')
}
