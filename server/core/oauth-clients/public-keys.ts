import { createPublicKey, type JsonWebKeyInput } from 'node:crypto'

const RSA_BITS_MINIMUM = 2048
const BYTES_MAXIMUM = 16_384
/** RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** @returns the fault as the end of a sentence, without the keys */
export function findKeysFault({ keys }: { keys: Record<string, unknown>[] }): string | undefined {
  if (Buffer.byteLength(JSON.stringify(keys)) > BYTES_MAXIMUM) return 'must have at most 16 KiB'
  return keys.map(findKeyFault).find((fault) => fault !== undefined)
}

function findKeyFault(key: Record<string, unknown>): string | undefined {
  if (key.kty === 'oct' || PRIVATE_MEMBERS.some((member) => member in key))
    return 'must have public keys only: create a new key, because this private key has been sent'
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
    return 'must have public keys in the form of RFC 7517'
  }
  return 'must have RSA keys of at least 2048 bits, EC keys on P-256, or Ed25519 keys'
}
