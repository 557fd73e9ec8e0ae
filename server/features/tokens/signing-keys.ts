import type { JWK } from 'jose'
import { MAINTENANCE } from '../../core/audit/actor.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import { SESSION_MILLISECONDS_MAXIMUM } from '../../core/sessions/lifetimes.ts'
import { shareWork } from '../../platform/background/share-work.ts'
import { ExactCache } from '../../platform/database/exact-cache.ts'
import type { RowChanges, RowEvent } from '../../platform/database/row-changes.ts'
import type { SigningKeyRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { chooseSigningKey } from './choose-signing-key.ts'
import { type Algorithm, createEcPair, createSigningKey } from './create-signing-key.ts'
import { createPrivateKeys, type PrivateKey } from './private-keys.ts'
import { findKey, findNewestKey, insertKey, listPublishedKeys, listUsableKeys, saveMissingEcPair } from './store.ts'

export interface SigningKeys {
  /** Creates the first key, and missing ES256 keys. Concurrent processes get the same keys. */
  ensure(): Promise<void>
  current(algorithm?: Algorithm): Promise<PrivateKey>
  /** The keys of all valid tokens, as a JWK Set (RFC 7517). */
  published(): Promise<{ keys: JWK[] }>
  /** The read begins after the call, so that no key that was withdrawn before the call is in it. */
  publishedNow(): Promise<{ keys: JWK[] }>
  /** Changes when the result of `listPrivateKeys` changes. Fast enough to be called for each token. */
  getVersion(): Promise<string>
  /** Signing keys, other published keys, then retired ones. Retired keys verify ID tokens that are log-out hints. */
  listPrivateKeys(): Promise<PrivateKey[]>
  /** @throws ApiError SERVICE_UNAVAILABLE when SECRET does not decrypt the signing key */
  assertDecryptable(): Promise<void>
}

/** Each token needs the current key of the database: a withdrawn key signs no more tokens in any process. */
export function createSigningKeys(context: Context, rowChanges?: RowChanges): SigningKeys {
  const { database, now } = context
  const privateKeys = createPrivateKeys(context)
  const listUsable = createKeyFinder(context, rowChanges)

  const isPublished = ({ retiresAt }: { retiresAt: number | null }) => retiresAt === null || retiresAt > now()

  function signingIdOf(keys: UsableKeys): string {
    const signing = chooseSigningKey(keys.filter(isPublished), now())
    if (!signing) throw new Error('There is no signing key')
    return signing.id
  }

  /** The signing key, other published keys, and keys that have retired within the longest lifetime of a session. */
  async function listIds(): Promise<string[]> {
    const known = await listUsable()
    const keys = known.filter(({ retiresAt }) => retiresAt === null || retiresAt > now() - SESSION_MILLISECONDS_MAXIMUM)
    const ordered = [...keys.filter(isPublished), ...keys]
    return [...new Set([signingIdOf(keys), ...ordered.map(({ id }) => id)])]
  }

  async function publishedNow(): Promise<{ keys: JWK[] }> {
    const published = (await listUsable()).filter(isPublished)
    const jwks = published.flatMap(({ publicJwk, publicEcJwk }) =>
      publicEcJwk === null ? [publicJwk] : [publicJwk, publicEcJwk],
    )
    return { keys: jwks.map((jwk) => JSON.parse(jwk) as JWK) }
  }

  return {
    async ensure() {
      if (!(await findNewestKey(database))) await createFirstKey(context)
      for (const { id, publicEcJwk } of await listPublishedKeys(database, now()))
        if (publicEcJwk === null) await saveMissingEcPair(database, id, await createEcPair(context, id))
    },
    async current(algorithm = 'RS256') {
      const id = signingIdOf(await listUsable())
      const key = await privateKeys.find(id, algorithm)
      if (!key) throw new Error(`The signing key ${id} has no ${algorithm} key`)
      return key
    },
    // The route is public: a flood of requests must not use all database connections.
    published: shareWork(publishedNow),
    publishedNow,
    getVersion: async () => (await listIds()).join(' '),
    async listPrivateKeys() {
      const ids = await listIds()
      const keys = ids.flatMap((id) => [privateKeys.find(id, 'RS256'), privateKeys.find(id, 'ES256')])
      return (await Promise.all(keys)).filter((key) => key !== undefined)
    },
    async assertDecryptable() {
      const id = signingIdOf(await listUsable())
      const row = await findKey(database, id)
      if (!row || !isDecryptable(context, row))
        throw new ApiError('SERVICE_UNAVAILABLE', { message: 'SECRET does not decrypt the key that signs tokens.' })
    },
  }
}

type UsableKeys = Awaited<ReturnType<typeof listUsableKeys>>

async function createFirstKey(context: Context): Promise<void> {
  const key = await createSigningKey(context, { generation: 1, activeAt: context.now() })
  await inTransaction(context, MAINTENANCE, async ({ transaction, record }) => {
    if (await insertKey(transaction, key)) await record({ action: 'signing-key.created', subjectId: key.id })
  })
}

function createKeyFinder({ database }: Context, rowChanges: RowChanges | undefined): () => Promise<UsableKeys> {
  const list = () => listUsableKeys(database, {})
  if (!rowChanges) return list
  const events: RowEvent[] = ['insert', 'update', 'delete']
  const cache = new ExactCache<UsableKeys>(rowChanges, 1, [
    { table: 'signingKeys', column: 'id', keyOf: 'any', events },
  ])
  return () => cache.find('all', list)
}

/** Also true for a database without signing keys. */
export async function canDecryptSigningKeys(context: Context): Promise<boolean> {
  const newest = await findNewestKey(context.database)
  return newest === undefined || isDecryptable(context, newest)
}

function isDecryptable({ keyring }: Context, { encryptedPrivateJwk, encryptedPrivateEcJwk }: SigningKeyRow): boolean {
  try {
    keyring.decrypt('signing key', encryptedPrivateJwk)
    if (encryptedPrivateEcJwk !== null) keyring.decrypt('signing key', encryptedPrivateEcJwk)
    return true
  } catch {
    return false
  }
}
