import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'

const NAMED: Record<string, [table: string, column: string]> = {
  usr: ['users', 'name'],
  org: ['organizations', 'name'],
  apk: ['apiKeys', 'name'],
  cli: ['oauthClients', 'name'],
  psk: ['passkeys', 'name'],
  inv: ['invitations', 'email'],
}

/** An id, and its kind if the id names none: imported rows keep their ids, which need not differ between tables. */
export interface RowReference {
  id: string | null
  importedKind: 'usr' | 'org' | 'apk' | 'inv'
}

export async function readNames(
  database: Kysely<Tables>,
  references: RowReference[],
): Promise<(reference: RowReference) => string | null> {
  const names = new Map<string, Map<string, string>>()
  for (const [kind, [table, column]] of Object.entries(NAMED)) {
    const ids = new Set(references.filter((reference) => kindOf(reference) === kind).map(({ id }) => id))
    if (ids.size === 0) continue
    const { rows } = await sql<{ id: string; name: string }>`
      select id, ${sql.ref(column)} as name from ${sql.table(table)} where id in (${sql.join([...ids])})`.execute(
      database,
    )
    names.set(kind, new Map(rows.map(({ id, name }) => [id, name])))
  }
  return (reference) => names.get(kindOf(reference) ?? '')?.get(reference.id ?? '') ?? null
}

export function kindOf({ id, importedKind }: RowReference): string | undefined {
  if (id === null) return undefined
  const [kind = ''] = id.split('_')
  return Object.hasOwn(NAMED, kind) ? kind : importedKind
}
