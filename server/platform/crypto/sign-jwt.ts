import { type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'

export interface JwtKey {
  algorithm: 'RS256' | 'ES256'
  kid: string
  privateKey: KeyObject
}

/** The thread pool signs. `sign` costs the main thread less than WebCrypto, which `jose` calls. */
const signOnThreadPool = promisify(sign)

/** The compact form (RFC 7515, section 7.1). @param type the header `typ` */
export async function signJwt({ algorithm, kid, privateKey }: JwtKey, type: string, claims: object): Promise<string> {
  const content = `${encode({ alg: algorithm, typ: type, kid })}.${encode(claims)}`
  // RFC 7518, section 3.4: the two numbers of an ES256 signature have 32 bytes each, without ASN.1.
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  const signature = await signOnThreadPool('sha256', Buffer.from(content), key)
  return `${content}.${signature.toString('base64url')}`
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
