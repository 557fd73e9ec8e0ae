import { newId, type Randomness } from '../../platform/crypto/tokens.ts'
import type { PasskeyRow } from '../../platform/database/tables.ts'
import { findAuthenticatorName } from '../account/passkeys/authenticator-name.ts'
import { decodeBase64Url } from '../account/passkeys/base64url.ts'
import { importPublicKey } from '../account/passkeys/public-key.ts'
import { toName } from './convert-fields.ts'
import { type Finding, toFinding } from './report.ts'
import { readFlag, type SourcePasskey } from './source-rows.ts'
import { readTime } from './source-time.ts'

const UNKNOWN_MODEL = '00000000-0000-0000-0000-000000000000'
const AAGUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Buffer ignores other characters, and PostgreSQL stores no NUL. */
const BASE64 = /^[\w+/-]+={0,2}$/
/** A text column of SQLite has `1` or `1.0` for a number. */
const INTEGER = /^\d+(?:\.0)?$/
/** WebAuthn, section 4. PostgreSQL indexes no text that is much longer. */
const CREDENTIAL_ID_BYTES_MAXIMUM = 1_023
const TRANSPORTS = /^[a-z-]{1,20}(?:,[a-z-]{1,20}){0,9}$/

export function planPasskeys(
  randomness: Randomness,
  userId: string,
  passkeys: SourcePasskey[],
  report: (finding: Finding) => void,
): PasskeyRow[] {
  return passkeys.flatMap((source) => {
    const counter = readCounter(source)
    const problem = findProblem(source)
    if (problem === undefined && counter !== undefined)
      return [toRow(randomness, userId, { ...source, counter }, report)]
    report(toFinding('passkey', source.id, problem ?? "its counter can't be read"))
    return []
  })
}

function readCounter({ counter }: SourcePasskey): number | undefined {
  const number = typeof counter === 'string' && INTEGER.test(counter) ? Number(counter) : counter
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}

function findProblem({ credentialID, publicKey }: SourcePasskey): string | undefined {
  const credentialId = decodeBase64Url(credentialID)
  if (!credentialId?.length || !isUsable(publicKey))
    return 'the key is damaged, or its algorithm is none that Accounts accepts'
  return credentialId.length > CREDENTIAL_ID_BYTES_MAXIMUM ? 'the credential id has more than 1,023 bytes' : undefined
}

function isUsable(publicKey: string): boolean {
  try {
    importPublicKey(Buffer.from(publicKey, 'base64'))
    return BASE64.test(publicKey)
  } catch {
    return false
  }
}

function toRow(
  randomness: Randomness,
  userId: string,
  source: SourcePasskey & { counter: number },
  report: (finding: Finding) => void,
): PasskeyRow {
  const { credentialID, publicKey, counter } = source
  const aaguid = AAGUID.test(source.aaguid ?? '') ? (source.aaguid ?? '') : UNKNOWN_MODEL
  const otherName = findAuthenticatorName(aaguid) ?? 'Passkey'
  const name = toName(source.name)
  if (source.name && name === undefined)
    report(toFinding('passkey', source.id, `the name is refused, and "${otherName}" replaces it`))
  return {
    id: newId('psk', randomness),
    userId,
    name: name ?? otherName,
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
