import type { Context } from '../context.ts'
import { findActiveKey, listKeys } from './store.ts'

/** next: published, does not sign yet. signing: the one in use. old: still published for tokens in use. retired: no more. */
export type SigningKeyState = 'next' | 'signing' | 'old' | 'retired'

export interface ListedSigningKey {
  id: string
  state: SigningKeyState
  activeAt: number
}

/** Every key there ever was, oldest first; never a private half. */
export async function listSigningKeys({ database, now }: Context): Promise<ListedSigningKey[]> {
  const active = await findActiveKey(database, now())
  return (await listKeys(database)).map(({ id, activeAt, retiresAt }) => {
    if (id === active?.id) return { id, state: 'signing', activeAt }
    if (activeAt > now()) return { id, state: 'next', activeAt }
    return { id, state: retiresAt !== null && retiresAt <= now() ? 'retired' : 'old', activeAt }
  })
}
