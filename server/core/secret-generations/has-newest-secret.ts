import type { PlatformContext } from '../../platform/context.ts'
import { listSecretGenerations } from './store.ts'

/** Whether this process has the SECRET that the database is made with now; others may have begun to replace it. */
export async function hasNewestSecret({ database, keyring }: PlatformContext): Promise<boolean> {
  const newest = (await listSecretGenerations(database)).at(-1)
  return newest === undefined || keyring.knownSecretIds.includes(newest.secretId)
}
