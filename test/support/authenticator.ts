import { hash, type KeyLike, randomBytes, sign, X509Certificate } from 'node:crypto'
import { type CBORType, encodeCBOR } from '@levischuck/tiny-cbor'
import { ATTESTATION_CERTIFICATE, ATTESTATION_KEY } from './certificate.ts'
import { type Algorithm, newKeyPair, toCose } from './cose-keys.ts'

/** The ceremony options that an authenticator needs. */
interface Options {
  challenge: string
  rp: { id: string }
  user: { id: string }
}

/** Values that differ from those of an honest browser and authenticator. */
export interface Deviations {
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
  /** The signer of the attestation (WebAuthn, section 8.2). Without one there is no attestation. */
  attestation?: 'passkey' | 'certificate'
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
  /** The signature counter, which tests may set back. Null for an authenticator without a counter. */
  counter: number | null
  create(options: Options, deviations?: Deviations): RegistrationJson
  get(options: Options, deviations?: Deviations): AuthenticationJson
}

const FLAGS = { userPresent: 1, userVerified: 4, backupEligible: 8, backedUp: 16, attested: 64 }

interface Model {
  algorithm?: Algorithm
  aaguid?: string
  counts?: boolean
  /** Whether the passkey is eligible for backup on other devices. */
  multiDevice?: boolean
  rsaBits?: number
}

/** Simulates a browser on a page of the service and an authenticator with one passkey (WebAuthn, section 6). */
export function createAuthenticator(origin: string, model: Model = {}): Authenticator {
  const { algorithm = -7, aaguid = '00000000-0000-0000-0000-000000000000', counts = true, multiDevice = false } = model
  const { publicKey, privateKey } = newKeyPair(algorithm, model.rsaBits ?? 2048)
  const credentialId = randomBytes(32)
  const credentialID = credentialId.toString('base64url')
  let userHandle = ''

  const clientData = (type: string, { challenge }: Options, deviations: Deviations): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: deviations.type ?? type,
        challenge: deviations.challenge ?? challenge,
        origin: deviations.origin ?? origin,
        crossOrigin: deviations.crossOrigin ?? false,
        ...(deviations.topOrigin !== undefined && { topOrigin: deviations.topOrigin }),
      }),
    )

  const authenticatorData = ({ rp }: Options, deviations: Deviations, attested = Buffer.alloc(0)): Buffer => {
    if (authenticator.counter !== null) authenticator.counter += 1
    const flags =
      (deviations.userPresent === false ? 0 : FLAGS.userPresent) |
      (deviations.userVerified === false ? 0 : FLAGS.userVerified) |
      (multiDevice ? FLAGS.backupEligible : 0) |
      (deviations.backedUp ? FLAGS.backedUp : 0) |
      (attested.length > 0 ? FLAGS.attested : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(deviations.counter ?? authenticator.counter ?? 0)
    return Buffer.concat([hash('sha256', deviations.rpId ?? rp.id, 'buffer'), Buffer.from([flags]), counter, attested])
  }

  const attestationStatement = (signed: Buffer, deviations: Deviations): Map<string, CBORType> => {
    if (!deviations.attestation) return new Map()
    const signWith = (key: KeyLike) => Uint8Array.from(sign('sha256', signed, key))
    if (deviations.attestation === 'passkey')
      return new Map<string, CBORType>([
        ['alg', -7],
        ['sig', signWith(privateKey)],
      ])
    const certificate = Uint8Array.from(new X509Certificate(ATTESTATION_CERTIFICATE).raw)
    return new Map<string, CBORType>([
      ['alg', -7],
      ['sig', signWith(ATTESTATION_KEY)],
      ['x5c', [certificate]],
    ])
  }

  const authenticator: Authenticator = {
    credentialID,
    counter: counts ? 0 : null,
    create(options, deviations = {}) {
      userHandle = options.user.id
      const length = Buffer.from([0, credentialId.length])
      const id = Buffer.from(aaguid.replaceAll('-', ''), 'hex')
      const attested = Buffer.concat([id, length, credentialId, encodeCBOR(toCose(publicKey, algorithm))])
      const authData = authenticatorData(options, deviations, attested)
      const data = clientData('webauthn.create', options, deviations)
      const signed = Buffer.concat([authData, hash('sha256', data, 'buffer')])
      const attestation = new Map<string, CBORType>([
        ['fmt', deviations.attestation ? 'packed' : 'none'],
        ['attStmt', attestationStatement(signed, deviations)],
        ['authData', Uint8Array.from(authData)],
      ])
      return {
        id: credentialID,
        rawId: credentialID,
        type: 'public-key',
        response: {
          clientDataJSON: data.toString('base64url'),
          attestationObject: Buffer.from(encodeCBOR(attestation)).toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
          publicKeyAlgorithm: algorithm,
          transports: ['internal', 'hybrid'],
        },
        authenticatorAttachment: 'platform',
      }
    },
    get(options, deviations = {}) {
      const data = clientData('webauthn.get', options, deviations)
      const authData = authenticatorData(options, deviations)
      const signed = Buffer.concat([authData, hash('sha256', data, 'buffer')])
      return {
        id: credentialID,
        rawId: credentialID,
        type: 'public-key',
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: sign(algorithm === -8 ? null : 'sha256', signed, privateKey).toString('base64url'),
          userHandle: deviations.userHandle ?? userHandle,
        },
        authenticatorAttachment: 'platform',
      }
    },
  }
  return authenticator
}
