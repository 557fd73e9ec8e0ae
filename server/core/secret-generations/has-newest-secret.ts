import type { PlatformContext } from '../../platform/context.ts'
import { listSecretGenerations } from './store.ts'

/** False while another process rotates SECRET. */
export async function hasNewestSecret({ database, keyring }: PlatformContext): Promise<boolean> {
  const newest = (await listSecretGenerations(database)).at(-1)
  return newest === undefined || keyring.knownSecretIds.includes(newest.secretId)
}
