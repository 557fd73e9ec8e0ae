import { hash, randomBytes, sign } from 'node:crypto'
import { type CBORType, encodeCBOR } from '@levischuck/tiny-cbor'
import { type Algorithm, newKeyPair, toCose } from './cose-keys.ts'

/** What the service says a ceremony is to be like; the rest of the options is the browser's business. */
interface Options {
  challenge: string
  rp: { id: string }
  user: { id: string }
}

/** What this ceremony says otherwise than an honest browser and authenticator would. */
export interface Lies {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  crossOrigin?: boolean
  topOrigin?: string
  userPresent?: boolean
  userVerified?: boolean
  backedUp?: boolean
  counter?: number
  userHandle?: string
}

export interface RegistrationJson {
  id: string
  rawId: string
  type: string
  response: {
    clientDataJSON: string
    attestationObject: string
    authenticatorData: string
    publicKey: string
    publicKeyAlgorithm: number
    transports: string[]
  }
  authenticatorAttachment: string
}

export interface AuthenticationJson {
  id: string
  rawId: string
  type: string
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string }
  authenticatorAttachment: string
}

export interface Authenticator {
  credentialID: string
  /** How often it has signed; tests may turn it back. Null: it does not count. */
  counter: number | null
  create(options: Options, lies?: Lies): RegistrationJson
  get(options: Options, lies?: Lies): AuthenticationJson
}

const FLAGS = { userPresent: 1, userVerified: 4, backupEligible: 8, backedUp: 16, attested: 64 }

interface Made {
  algorithm?: Algorithm
  aaguid?: string
  counts?: boolean
  /** Whether the passkey may be copied to other devices. */
  multiDevice?: boolean
  rsaBits?: number
}

/** A browser on a page of the service and an authenticator with one passkey, without either (WebAuthn, section 6). */
export function createAuthenticator(origin: string, made: Made = {}): Authenticator {
  const { algorithm = -7, aaguid = '00000000-0000-0000-0000-000000000000', counts = true, multiDevice = false } = made
  const { publicKey, privateKey } = newKeyPair(algorithm, made.rsaBits ?? 2048)
  const credentialId = randomBytes(32)
  const credentialID = credentialId.toString('base64url')
  let userHandle = ''

  const clientData = (type: string, { challenge }: Options, lies: Lies): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: lies.crossOrigin ?? false,
        ...(lies.topOrigin !== undefined && { topOrigin: lies.topOrigin }),
      }),
    )

  const authenticatorData = ({ rp }: Options, lies: Lies, attested = Buffer.alloc(0)): Buffer => {
    if (authenticator.counter !== null) authenticator.counter += 1
    const flags =
      (lies.userPresent === false ? 0 : FLAGS.userPresent) |
      (lies.userVerified === false ? 0 : FLAGS.userVerified) |
      (multiDevice ? FLAGS.backupEligible : 0) |
      (lies.backedUp ? FLAGS.backedUp : 0) |
      (attested.length > 0 ? FLAGS.attested : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(lies.counter ?? authenticator.counter ?? 0)
    return Buffer.concat([hash('sha256', lies.rpId ?? rp.id, 'buffer'), Buffer.from([flags]), counter, attested])
  }

  const authenticator: Authenticator = {
    credentialID,
    counter: counts ? 0 : null,
    create(options, lies = {}) {
      userHandle = options.user.id
      const length = Buffer.from([0, credentialId.length])
      const id = Buffer.from(aaguid.replaceAll('-', ''), 'hex')
      const attested = Buffer.concat([id, length, credentialId, encodeCBOR(toCose(publicKey, algorithm))])
      const authData = authenticatorData(options, lies, attested)
      const attestation = new Map<string, CBORType>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', Uint8Array.from(authData)],
      ])
      return {
        id: credentialID,
        rawId: credentialID,
        type: 'public-key',
        response: {
          clientDataJSON: clientData('webauthn.create', options, lies).toString('base64url'),
          attestationObject: Buffer.from(encodeCBOR(attestation)).toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
          publicKeyAlgorithm: algorithm,
          transports: ['internal', 'hybrid'],
        },
        authenticatorAttachment: 'platform',
      }
    },
    get(options, lies = {}) {
      const data = clientData('webauthn.get', options, lies)
      const authData = authenticatorData(options, lies)
      const signed = Buffer.concat([authData, hash('sha256', data, 'buffer')])
      return {
        id: credentialID,
        rawId: credentialID,
        type: 'public-key',
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: sign(algorithm === -8 ? null : 'sha256', signed, privateKey).toString('base64url'),
          userHandle: lies.userHandle ?? userHandle,
        },
        authenticatorAttachment: 'platform',
      }
    },
  }
  return authenticator
}
