import type { Context } from '../../core/context.ts'
import { chooseSigningKey } from './choose-signing-key.ts'
import { listKeys, listPublishedKeys } from './store.ts'

/** `next` does not sign yet. `old` is published for its valid tokens. `retired` is no longer published. */
export type SigningKeyState = 'next' | 'signing' | 'old' | 'retired' | 'withdrawn'

export interface ListedSigningKey {
  id: string
  state: SigningKeyState
  activeAt: number
  /** The end of the publication; null without a successor. */
  retiresAt: number | null
}

export async function listSigningKeys({ database, now }: Context): Promise<ListedSigningKey[]> {
  const published = await listPublishedKeys(database, now())
  const signing = chooseSigningKey(published, now())
  const publishedIds = new Set(published.map(({ id }) => id))
  return (await listKeys(database)).map(({ id, generation, withdrawnAt, ...key }) => {
    const times = { activeAt: key.activeAt, retiresAt: key.retiresAt }
    if (withdrawnAt !== null) return { id, state: 'withdrawn', ...times }
    if (!publishedIds.has(id)) return { id, state: 'retired', ...times }
    if (id === signing?.id) return { id, state: 'signing', ...times }
    return { id, state: generation > (signing?.generation ?? 0) ? 'next' : 'old', ...times }
  })
}
