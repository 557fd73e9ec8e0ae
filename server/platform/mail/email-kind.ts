import { type SqlBool, sql } from 'kysely'
import type { EmailKind } from './email.ts'

/** Beside `subjectId`: imported rows of two tables may share an id. `|| ''` prevents the use of the index of kinds. */
export function isOfKind(kind: EmailKind, table = 'outbox') {
  return sql<SqlBool>`${sql.ref(`${table}.kind`)} || '' = ${sql.lit(kind)}`
}
