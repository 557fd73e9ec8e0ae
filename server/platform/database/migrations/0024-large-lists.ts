import { sql } from 'kysely'
import type { OnlineSteps } from '../online-steps.ts'

export const kind = 'expand'

/** Indexes without which staff pages, and changes of users, read a whole table of a million users. */
export async function online({ isPostgres, createIndex }: OnlineSteps): Promise<void> {
  const text = (column: string) => (isPostgres ? sql`${sql.ref(column)} collate "C"` : sql.ref(column))
  await createIndex('organizations_name', sql`on organizations (${text('name')}, ${text('id')})`)
  await createIndex('organizations_createdAt', sql`on organizations ("createdAt", ${text('id')})`)
  await createIndex('invitations_status', sql`on invitations (status, "createdAt", id)`)
  // The order of list-users has an index in the collation "C", which PostgreSQL does not use for a role alone.
  if (isPostgres) await createIndex('users_roleAlone', sql`on users (role)`)
}
