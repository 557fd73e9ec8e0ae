import { hash } from 'node:crypto'
import { parseAuthenticatorData } from '@simplewebauthn/server/helpers'
import { ApiError, type ErrorCode } from '../../../platform/http/errors.ts'
import { decodeBase64Url } from './base64url.ts'
import type { Ceremony } from './challenge.ts'
import type { RelyingParty } from './relying-party.ts'

export const FAILURE_CODES: Record<Ceremony, ErrorCode> = {
  'register passkey': 'FAILED_TO_VERIFY_REGISTRATION',
  'sign up with passkey': 'FAILED_TO_VERIFY_REGISTRATION',
  'sign in with passkey': 'AUTHENTICATION_FAILED',
}

const CLIENT_DATA_TYPE: Record<Ceremony, string> = {
  'register passkey': 'webauthn.create',
  'sign up with passkey': 'webauthn.create',
  'sign in with passkey': 'webauthn.get',
}

/** WebAuthn, section 5.8.1, which demands that other members are ignored. */
interface ClientData {
  challenge: string
  origin: string
  crossOrigin?: unknown
  topOrigin?: unknown
}

/** @throws ApiError with the code of the ceremony in `FAILURE_CODES` */
export function parseClientData(ceremony: Ceremony, clientDataJSON: string): ClientData {
  const { type, challenge, origin, crossOrigin, topOrigin } = parseObject(decodeBase64Url(clientDataJSON)) ?? {}
  if (type !== CLIENT_DATA_TYPE[ceremony] || typeof challenge !== 'string' || typeof origin !== 'string') {
    throw new ApiError(FAILURE_CODES[ceremony])
  }
  return { challenge, origin, crossOrigin, topOrigin }
}

function parseObject(bytes: Buffer | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes?.toString('utf8') ?? '')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Accepts only our own pages, and not in a frame of another site. @throws ApiError PASSKEY_WRONG_ORIGIN */
export function assertOrigin({ origin, crossOrigin, topOrigin }: ClientData, relyingParty: RelyingParty): void {
  const isEmbedded = (crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined
  if (origin !== relyingParty.origin || isEmbedded) throw new ApiError('PASSKEY_WRONG_ORIGIN')
}

/** WebAuthn, section 6.1. @throws ApiError PASSKEY_WRONG_RELYING_PARTY; USER_VERIFICATION_REQUIRED; FAILURE_CODES */
export function assertAuthenticatorData(
  ceremony: Ceremony,
  authenticatorData: Uint8Array | undefined,
  relyingParty: RelyingParty,
): void {
  const { rpIdHash, flags } = parseAuthenticator(ceremony, authenticatorData)
  if (!hash('sha256', relyingParty.id, 'buffer').equals(rpIdHash)) throw new ApiError('PASSKEY_WRONG_RELYING_PARTY')
  if (!flags.uv) throw new ApiError('USER_VERIFICATION_REQUIRED')
}

function parseAuthenticator(ceremony: Ceremony, data: Uint8Array | undefined) {
  try {
    return parseAuthenticatorData(Uint8Array.from(data ?? []))
  } catch (cause) {
    throw new ApiError(FAILURE_CODES[ceremony], { cause })
  }
}
