import { newId, type Randomness } from '../../platform/crypto/tokens.ts'
import type { PasskeyRow } from '../../platform/database/tables.ts'
import { findAuthenticatorName } from '../account/passkeys/authenticator-name.ts'
import { decodeBase64Url } from '../account/passkeys/base64url.ts'
import { importPublicKey } from '../account/passkeys/public-key.ts'
import { toName } from './convert-fields.ts'
import { type Finding, toFinding } from './report.ts'
import { readFlag, readTime, type SourcePasskey } from './source-rows.ts'

const UNKNOWN_MODEL = '00000000-0000-0000-0000-000000000000'
const AAGUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TRANSPORTS = /^[a-z-]{1,20}(?:,[a-z-]{1,20}){0,9}$/

export function planPasskeys(
  randomness: Randomness,
  userId: string,
  passkeys: SourcePasskey[],
  find: (finding: Finding) => void,
): PasskeyRow[] {
  return passkeys.flatMap((source) => {
    if (isUsable(source)) return [toRow(randomness, userId, source)]
    find(toFinding('passkey', source.id, 'the key is damaged, or its algorithm is none that Accounts accepts'))
    return []
  })
}

function isUsable({ credentialID, publicKey, counter }: SourcePasskey): boolean {
  try {
    importPublicKey(Buffer.from(publicKey, 'base64'))
  } catch {
    return false
  }
  return credentialID !== '' && decodeBase64Url(credentialID) !== undefined && Number.isSafeInteger(counter)
}

function toRow(randomness: Randomness, userId: string, source: SourcePasskey): PasskeyRow {
  const { credentialID, publicKey, counter } = source
  const aaguid = AAGUID.test(source.aaguid ?? '') ? (source.aaguid ?? '') : UNKNOWN_MODEL
  return {
    id: newId('psk', randomness),
    userId,
    name: toName(source.name) ?? findAuthenticatorName(aaguid) ?? 'Passkey',
    credentialID,
    publicKey,
    counter,
    deviceType: source.deviceType === 'multiDevice' ? 'multiDevice' : 'singleDevice',
    backedUp: readFlag(source.backedUp) ? 1 : 0,
    transports: TRANSPORTS.test(source.transports ?? '') ? (source.transports ?? '') : '',
    aaguid,
    createdAt: readTime(source.createdAt) ?? randomness.now(),
    lastUsedAt: null,
    isImported: 1,
  }
}
