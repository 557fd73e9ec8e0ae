import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { isEqualInConstantTime } from './constant-time.ts'

/** 32 characters of `openssl rand` hold 128 bits or more. */
export const SECRET_LENGTH_MINIMUM = 32
/** Random text of the minimum length has more different characters, even random digits. A repeated word has fewer. */
const DIFFERENT_CHARACTERS_MINIMUM = 8

export function isRepetitive(secret: string): boolean {
  return new Set(secret.trim()).size < DIFFERENT_CHARACTERS_MINIMUM
}

/** The keys are derived from these names, so they never change: `letter` is for emails. */
export type EncryptionPurpose = 'letter' | 'signing key' | 'staff session' | 'retired keys' | 'second step'
export type MacPurpose = 'audit entry' | 'audit chain' | 'audit head' | 'audit start' | 'email code' | 'refresh token'

export interface Keyring {
  /** Identifies SECRET without revealing it. */
  readonly secretId: string
  /** SECRET first, then PREVIOUS_SECRET. */
  readonly knownSecretIds: string[]
  /** @returns `secretId.iv.tag.ciphertext` in base64url */
  encrypt(purpose: EncryptionPurpose, text: string): string
  /** @throws UnknownSecretError when this process lacks the SECRET; Error for changed text or another purpose */
  decrypt(purpose: EncryptionPurpose, encrypted: string): string
  /** False under PREVIOUS_SECRET, and for damaged text. */
  isCurrent(encrypted: string): boolean
  /** HMAC-SHA-256 in base64url. */
  mac(purpose: MacPurpose, text: string): string
  /** Accepts a MAC of SECRET or of PREVIOUS_SECRET. */
  verifyMac(purpose: MacPurpose, text: string, mac: string): boolean
  /** The MAC key of a known SECRET. It is stored, so that audit events can be verified after that SECRET is removed. */
  macKeyOf(secretId: string, purpose: MacPurpose): Buffer
}

/** Another process may have the SECRET that decrypts the text. */
export class UnknownSecretError extends Error {
  override name = 'UnknownSecretError'
  constructor() {
    super('It was encrypted under a SECRET that this process does not have.')
  }
}

const IV_BYTES = 12
const TAG_BYTES = 16
const ID_BYTES = 12

/** AES-256-GCM (NIST SP 800-38D), with keys from HKDF-SHA-256 (RFC 5869). `previousSecret` encrypts nothing. */
export function createKeyring(
  secret: string,
  randomBytes: (byteCount: number) => Buffer,
  previousSecret?: string,
): Keyring {
  const current = createKeys(secret)
  const known = previousSecret === undefined ? [current] : [current, createKeys(previousSecret)]

  return {
    get secretId() {
      return current.id
    },
    get knownSecretIds() {
      return known.map(({ id }) => id)
    },
    encrypt(purpose, text) {
      const iv = randomBytes(IV_BYTES)
      const key = current.keyFor(`seal: ${purpose}`)
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const parts = [iv, cipher.getAuthTag(), ciphertext].map((part) => part.toString('base64url'))
      return [current.id, ...parts].join('.')
    },
    decrypt(purpose, encrypted) {
      const parts = encrypted.split('.')
      // Text of early versions has no secret id.
      if (parts.length === 3) return decryptUnderAny(known, purpose, parts)
      const [id, ...rest] = parts
      const keys = known.find((candidate) => candidate.id === id)
      if (!keys) throw rest.length === 3 ? new UnknownSecretError() : new Error('Encrypted text has four parts')
      return decryptUnder(keys, purpose, rest)
    },
    isCurrent: (encrypted) => encrypted.startsWith(`${current.id}.`),
    mac: (purpose, text) => macWith(current.keyFor(`mac: ${purpose}`), text),
    verifyMac: (purpose, text, mac) => known.some((keys) => isMacOf(keys.keyFor(`mac: ${purpose}`), text, mac)),
    macKeyOf(secretId, purpose) {
      const keys = known.find(({ id }) => id === secretId)
      if (!keys) throw new UnknownSecretError()
      return keys.keyFor(`mac: ${purpose}`)
    },
  }
}

/** @returns undefined when the text can't be decrypted */
export function reencrypt(keyring: Keyring, purpose: EncryptionPurpose, encrypted: string): string | undefined {
  let text: string
  try {
    text = keyring.decrypt(purpose, encrypted)
  } catch {
    return undefined
  }
  return keyring.encrypt(purpose, text)
}

export function isMacOf(key: Buffer, text: string, mac: string): boolean {
  return isEqualInConstantTime(macWith(key, text), mac)
}

function macWith(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

interface Keys {
  readonly id: string
  keyFor(use: `seal: ${EncryptionPurpose}` | `mac: ${MacPurpose}`): Buffer
}

/** Keys are derived at first use, so that a command without encryption runs without SECRET. */
function createKeys(secret: string): Keys {
  const derived = new Map<string, Buffer>()

  function derive(use: string, byteCount: number): Buffer {
    if (secret.length < SECRET_LENGTH_MINIMUM) throw new Error('There is no SECRET to derive a key from')
    const known = derived.get(use)
    if (known) return known
    const key = Buffer.from(hkdfSync('sha256', secret, 'accounts', use, byteCount))
    derived.set(use, key)
    return key
  }

  return {
    get id() {
      return derive('id', ID_BYTES).toString('base64url')
    },
    keyFor: (use) => derive(use, 32),
  }
}

function decryptUnderAny(known: Keys[], purpose: EncryptionPurpose, parts: string[]): string {
  for (const keys of known.slice(0, -1)) {
    try {
      return decryptUnder(keys, purpose, parts)
    } catch {}
  }
  return decryptUnder(known.at(-1) as Keys, purpose, parts)
}

function decryptUnder(keys: Keys, purpose: EncryptionPurpose, parts: string[]): string {
  const [iv, tag, ciphertext] = parts.map((part) => Buffer.from(part, 'base64url'))
  if (!iv || !tag || !ciphertext) throw new Error('Encrypted text has four parts')
  const key = keys.keyFor(`seal: ${purpose}`)
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(tag)
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
}
