import { sql } from 'kysely'
import type { OnlineSteps } from '../online-steps.ts'

export const kind = 'expand'

/** Indexes without which staff pages, and changes of users, read a whole table of a million users. */
export async function online({ isPostgres, createIndex }: OnlineSteps): Promise<void> {
  const text = (column: string) => (isPostgres ? sql`${sql.ref(column)} collate "C"` : sql.ref(column))
  await createIndex('organizations_name', sql`on organizations (${text('name')}, ${text('id')})`)
  await createIndex('organizations_createdAt', sql`on organizations ("createdAt", ${text('id')})`)
  // Partial, so that SQLite, which has no statistics of values, does not use it for the invitations of one email address.
  await createIndex('invitations_pending', sql`on invitations ("createdAt", id, "expiresAt") where status = 'pending'`)
  // The order of list-users has an index in the collation "C", which PostgreSQL does not use for a role alone.
  if (isPostgres) await createIndex('users_roleAlone', sql`on users (role)`)
}
