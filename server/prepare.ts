import type { Context } from './context.ts'
import { migrate } from './database/migrate.ts'
import { createSigningKeys } from './tokens/signing-keys.ts'

/** Brings the database to where the service can run on it: migrated, and with a key that signs tokens. */
export async function prepare(context: Context): Promise<void> {
  await migrate(context.database)
  await createSigningKeys(context).ensure()
}
