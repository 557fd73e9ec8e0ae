import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'

/** By the kind in the id: the table, and the column that users know the row by. */
const NAMED: Record<string, [table: string, column: string]> = {
  usr: ['users', 'name'],
  org: ['organizations', 'name'],
  apk: ['apiKeys', 'name'],
  cli: ['oauthClients', 'name'],
  psk: ['passkeys', 'name'],
  inv: ['invitations', 'email'],
}

/** The names of actors and subjects by id. Ids of deleted rows, and of other kinds, have none. */
export async function listNames(database: Kysely<Tables>, ids: string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const [kind, [table, column]] of Object.entries(NAMED)) {
    const ofKind = [...new Set(ids)].filter((id) => id.startsWith(`${kind}_`))
    if (ofKind.length === 0) continue
    const { rows } = await sql<{ id: string; name: string }>`
      select id, ${sql.ref(column)} as name from ${sql.table(table)} where id in (${sql.join(ofKind)})`.execute(
      database,
    )
    for (const { id, name } of rows) names.set(id, name)
  }
  return names
}
