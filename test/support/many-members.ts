import { sql } from 'kysely'
import { withNumbers } from './numbers.ts'
import type { Service } from './service.ts'

/** Keeps each statement below the statement timeout of 1.4 s, also on a busy machine. */
const ROWS_PER_STATEMENT = 1_000

/** Users `Person 1`, `Person 2`, … become members of an organization, in the order of their numbers. */
export async function insertMembers({ context }: Service, organizationId: string, count: number): Promise<void> {
  const { database } = context
  for (let first = 1; first <= count; first += ROWS_PER_STATEMENT) {
    const last = Math.min(first + ROWS_PER_STATEMENT - 1, count)
    const numbers = withNumbers(first, last)
    // SQLite needs the `where` to tell the conflict clause from a join.
    await sql`insert into users (id, name, email, "emailVerified", role, "createdAt", "updatedAt") ${numbers}
      select 'usr_' || n, 'Person ' || n, 'person-' || n || '@example.com', 1, 'user', n, n from numbers where true on conflict do nothing`.execute(
      database,
    )
    await sql`insert into members (id, "userId", "organizationId", role, "createdAt") ${numbers}
      select ${organizationId} || '_' || n, 'usr_' || n, ${organizationId}, 'member', n from numbers`.execute(database)
  }
}
