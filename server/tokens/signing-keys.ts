import { importJWK, type JWK } from 'jose'
import type { Context } from '../context.ts'
import type { SigningKeyRow } from '../database/tables.ts'
import { ALGORITHM, makeSigningKey } from './make-signing-key.ts'
import { findActiveKey, insertKey, listPublishedKeys } from './store.ts'

export interface SigningKeys {
  /** Makes the first key where there is none; two processes that start at once end up with the same one. */
  ensure(): Promise<void>
  /** The key that signs now. */
  current(): Promise<{ kid: string; privateKey: CryptoKey }>
  /** Every key that a token still in use may be signed with, as a JWK Set (RFC 7517). */
  published(): Promise<{ keys: JWK[] }>
}

/** A new key is published ten minutes before it signs, so whoever looks this often knows it in time. */
const KEPT_MILLISECONDS = 60_000

/** The keys in memory, where a private half is decrypted once. Which of them signs is for the clock to say, each time. */
export function createSigningKeys(context: Context): SigningKeys {
  const { database, sealer, now } = context
  const privateKeys = new Map<string, Promise<CryptoKey>>()
  let kept: { rows: SigningKeyRow[]; until: number } | undefined

  async function keptRows(): Promise<SigningKeyRow[]> {
    if (kept && now() < kept.until) return kept.rows
    const rows = await listPublishedKeys(database, now())
    kept = { rows, until: now() + KEPT_MILLISECONDS }
    return rows
  }

  function unsealed({ id, sealedPrivateJwk }: SigningKeyRow): Promise<CryptoKey> {
    const known = privateKeys.get(id)
    if (known) return known
    const key = importJWK(
      JSON.parse(sealer.open('signing key', sealedPrivateJwk)) as JWK,
      ALGORITHM,
    ) as Promise<CryptoKey>
    privateKeys.set(id, key)
    return key
  }

  return {
    async ensure() {
      if (await findActiveKey(database, now())) return
      await insertKey(database, await makeSigningKey(context, { generation: 1, activeAt: now() }))
    },
    async current() {
      const row = (await keptRows()).findLast(({ activeAt }) => activeAt <= now())
      if (!row) throw new Error('There is no signing key')
      return { kid: row.id, privateKey: await unsealed(row) }
    },
    async published() {
      const rows = await listPublishedKeys(database, now())
      return { keys: rows.map((row) => JSON.parse(row.publicJwk) as JWK) }
    },
  }
}
