import { importJWK, type JWK } from 'jose'
import type { Context } from '../../core/context.ts'
import { shareWork } from '../../platform/background/share-work.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { chooseSigningKey } from './choose-signing-key.ts'
import { ALGORITHM, createSigningKey } from './create-signing-key.ts'
import { findKey, findNewestKey, insertKey, listPublishedKeys, listPublishedTimes } from './store.ts'

export interface SigningKeys {
  /** Creates the first key. Concurrent processes get the same one. */
  ensure(): Promise<void>
  current(): Promise<{ kid: string; privateKey: CryptoKey }>
  /** The keys of all valid tokens, as a JWK Set (RFC 7517). */
  published(): Promise<{ keys: JWK[] }>
  /** @throws ApiError SERVICE_UNAVAILABLE when SECRET does not decrypt the signing key */
  assertDecryptable(): Promise<void>
}

/**
 * Decrypts the signing key once. Each token asks the database for the current key, so that a withdrawn key signs no more
 * tokens in any process.
 */
export function createSigningKeys(context: Context): SigningKeys {
  const { database, now } = context
  let decrypted: { kid: string; privateKey: CryptoKey } | undefined

  async function getSigningId(): Promise<string> {
    const chosen = chooseSigningKey(await listPublishedTimes(database, { now: now() }), now())
    if (!chosen) throw new Error('There is no signing key')
    return chosen.id
  }

  return {
    async ensure() {
      if (await findNewestKey(database)) return
      await insertKey(database, await createSigningKey(context, { generation: 1, activeAt: now() }))
    },
    async current() {
      const kid = await getSigningId()
      if (decrypted?.kid === kid) return decrypted
      const privateKey = (await importJWK(await decryptPrivateJwk(context, kid), ALGORITHM)) as CryptoKey
      decrypted = { kid, privateKey }
      return decrypted
    },
    // The route is public: a flood of requests must not use all database connections.
    published: shareWork(async () => {
      const rows = await listPublishedKeys(database, now())
      return { keys: rows.map((row) => JSON.parse(row.publicJwk) as JWK) }
    }),
    async assertDecryptable() {
      const row = await findKey(database, await getSigningId())
      if (!row || !isDecryptable(context, row.encryptedPrivateJwk))
        throw new ApiError('SERVICE_UNAVAILABLE', { message: 'SECRET does not decrypt the key that signs tokens.' })
    },
  }
}

/** True without a signing key. */
export async function canDecryptSigningKeys(context: Context): Promise<boolean> {
  const newest = await findNewestKey(context.database)
  return newest === undefined || isDecryptable(context, newest.encryptedPrivateJwk)
}

function isDecryptable({ keyring }: Context, encryptedPrivateJwk: string): boolean {
  try {
    keyring.decrypt('signing key', encryptedPrivateJwk)
    return true
  } catch {
    return false
  }
}

async function decryptPrivateJwk({ database, keyring }: Context, id: string): Promise<JWK> {
  const row = await findKey(database, id)
  if (!row) throw new Error('The signing key was deleted')
  return JSON.parse(keyring.decrypt('signing key', row.encryptedPrivateJwk)) as JWK
}
