/** SQLITE_CONSTRAINT_UNIQUE, an extended result code of SQLite. */
const SQLITE_UNIQUE = 2067
const POSTGRES_UNIQUE = '23505'

export function isUniqueViolation(error: unknown): boolean {
  const { errcode, code } = (error ?? {}) as { errcode?: unknown; code?: unknown }
  return errcode === SQLITE_UNIQUE || code === POSTGRES_UNIQUE
}
