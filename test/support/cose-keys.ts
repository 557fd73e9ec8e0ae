import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { CBORType } from '@levischuck/tiny-cbor'

/** ES256, EdDSA, RS256. */
export type Algorithm = -7 | -8 | -257

export function newKeyPair(
  algorithm: Algorithm,
  modulusLength: number,
): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === -7) return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (algorithm === -8) return generateKeyPairSync('ed25519')
  return generateKeyPairSync('rsa', { modulusLength })
}

/** RFC 9053, section 7. */
export function toCose(key: KeyObject, algorithm: number): Map<number, CBORType> {
  const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' }) as Record<string, string>
  const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64url'))
  if (algorithm === -7)
    return new Map<number, CBORType>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ])
  if (algorithm === -8)
    return new Map<number, CBORType>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(x)],
    ])
  return new Map<number, CBORType>([
    [1, 3],
    [3, -257],
    [-1, bytes(n)],
    [-2, bytes(e)],
  ])
}
