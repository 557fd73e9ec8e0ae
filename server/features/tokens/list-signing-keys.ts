import type { Context } from '../../core/context.ts'
import { chooseSigningKey } from './choose-signing-key.ts'
import { listKeys, listPublishedKeys } from './store.ts'

/**
 * next: published, does not sign yet. signing: the one in use. old: still published for tokens in use. retired: no more.
 * withdrawn: taken out at once.
 */
export type SigningKeyState = 'next' | 'signing' | 'old' | 'retired' | 'withdrawn'

export interface ListedSigningKey {
  id: string
  state: SigningKeyState
  activeAt: number
}

/** Every key there ever was, oldest first; never a private half. */
export async function listSigningKeys({ database, now }: Context): Promise<ListedSigningKey[]> {
  const published = await listPublishedKeys(database, now())
  const signing = chooseSigningKey(published, now())
  const publishedIds = new Set(published.map(({ id }) => id))
  return (await listKeys(database)).map(({ id, generation, activeAt, withdrawnAt }) => {
    if (withdrawnAt !== null) return { id, state: 'withdrawn', activeAt }
    if (!publishedIds.has(id)) return { id, state: 'retired', activeAt }
    if (id === signing?.id) return { id, state: 'signing', activeAt }
    return { id, state: generation > (signing?.generation ?? 0) ? 'next' : 'old', activeAt }
  })
}
