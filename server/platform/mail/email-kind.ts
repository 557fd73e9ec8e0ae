import { type SqlBool, sql } from 'kysely'
import type { EmailKind } from './email.ts'

/**
 * A condition beside one on `subjectId`, because imported rows of two tables may have the same id. `|| ''` prevents the
 * use of the index of kinds: it has more emails for each value.
 */
export function isOfKind(kind: EmailKind, table = 'outbox') {
  return sql<SqlBool>`${sql.ref(`${table}.kind`)} || '' = ${sql.lit(kind)}`
}
