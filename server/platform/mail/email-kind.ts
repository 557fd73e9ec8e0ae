import { type SqlBool, sql } from 'kysely'
import type { EmailKind } from './email.ts'

/** Imported rows of two tables may have the same id. `|| ''` prevents the use of the larger index of kinds. */
export function isOfKind(kind: EmailKind, table = 'outbox') {
  return sql<SqlBool>`${sql.ref(`${table}.kind`)} || '' = ${sql.lit(kind)}`
}
