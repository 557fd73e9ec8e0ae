import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'

/** The accepted algorithms (RFC 9053), the preferred one first: ES256, EdDSA, RS256. */
export const ALGORITHMS = [-7, -8, -257]

const RSA_BITS_MINIMUM = 2048

/** The labels of a COSE key (RFC 9052, section 7.1; RFC 9053, section 7). The type of the key decides what -1 and -2 mean. */
const LABEL = { kind: 1, algorithm: 3, curveOrModulus: -1, xOrExponent: -2, y: -3 } as const

/** @throws Error when the COSE key is not a valid key for an accepted algorithm */
export function importPublicKey(coseKey: Uint8Array): KeyObject {
  const parameters = decodeCredentialPublicKey(Uint8Array.from(coseKey)) as unknown as Map<number, unknown>
  const key = createPublicKey({ key: toJwk(parameters), format: 'jwk' })
  if ((key.asymmetricKeyDetails?.modulusLength ?? RSA_BITS_MINIMUM) < RSA_BITS_MINIMUM) {
    throw new Error('The RSA key is too short')
  }
  return key
}

/** @throws Error as `importPublicKey` */
export function isSignedBy(coseKey: Uint8Array, data: Uint8Array, signature: Uint8Array): boolean {
  const key = importPublicKey(coseKey)
  return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', data, key, signature)
}

function toJwk(parameters: Map<number, unknown>): Record<string, string> {
  const number = (label: number): unknown => parameters.get(label)
  const bytes = (label: number): string => {
    const value = parameters.get(label)
    if (!(value instanceof Uint8Array)) throw new Error(`The key has no bytes at ${label}`)
    return Buffer.from(value).toString('base64url')
  }
  const kind = [number(LABEL.kind), number(LABEL.algorithm)].join()
  const curve = number(LABEL.curveOrModulus)
  if (kind === '2,-7' && curve === 1) return { kty: 'EC', crv: 'P-256', x: bytes(LABEL.xOrExponent), y: bytes(LABEL.y) }
  if (kind === '1,-8' && curve === 6) return { kty: 'OKP', crv: 'Ed25519', x: bytes(LABEL.xOrExponent) }
  if (kind === '3,-257') return { kty: 'RSA', n: bytes(LABEL.curveOrModulus), e: bytes(LABEL.xOrExponent) }
  throw new Error('The type or curve of the key is not accepted')
}
