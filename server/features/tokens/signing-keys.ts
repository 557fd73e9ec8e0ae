import { importJWK, type JWK } from 'jose'
import type { Context } from '../../core/context.ts'
import { shareWork } from '../../platform/background/share-work.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { chooseSigningKey } from './choose-signing-key.ts'
import { ALGORITHM, makeSigningKey } from './make-signing-key.ts'
import { findKey, findNewestKey, insertKey, listPublishedKeys, listPublishedTimes } from './store.ts'

export interface SigningKeys {
  /** Makes the first key where there is none; two processes that start at once end up with the same one. */
  ensure(): Promise<void>
  /** The key that signs now. */
  current(): Promise<{ kid: string; privateKey: CryptoKey }>
  /** Every key that a token still in use may be signed with, as a JWK Set (RFC 7517). */
  published(): Promise<{ keys: JWK[] }>
  /** @throws ApiError SERVICE_UNAVAILABLE when SECRET does not decrypt the key that signs now */
  assertDecryptable(): Promise<void>
}

/**
 * The key that signs is decrypted once. Which key that is, the database is asked for each token: a withdrawn key signs
 * nothing more, in any process.
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
      await insertKey(database, await makeSigningKey(context, { generation: 1, activeAt: now() }))
    },
    async current() {
      const kid = await getSigningId()
      if (decrypted?.kid === kid) return decrypted
      const privateKey = (await importJWK(await decryptPrivateJwk(context, kid), ALGORITHM)) as CryptoKey
      decrypted = { kid, privateKey }
      return decrypted
    },
    // Anyone may ask, as often as they like, and must not use up the connections to the database.
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

/** Whether the newest signing key was encrypted under a SECRET of this process; true where there is none yet. */
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
  if (!row) throw new Error('The signing key is gone')
  return JSON.parse(keyring.decrypt('signing key', row.encryptedPrivateJwk)) as JWK
}
