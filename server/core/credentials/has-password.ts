import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { PASSWORD_PROVIDER } from './password-store.ts'

export async function hasPassword(database: Kysely<Tables>, userId: string): Promise<boolean> {
  const account = await database
    .selectFrom('accounts')
    .select('id')
    .where('userId', '=', userId)
    .where('providerId', '=', PASSWORD_PROVIDER)
    .where('passwordHash', 'is not', null)
    .executeTakeFirst()
  return account !== undefined
}
