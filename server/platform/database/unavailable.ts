import { primaryCodeOf } from './sqlite-statements.ts'

/** BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL (primary result codes). */
const SQLITE_CODES = new Set([5, 6, 8, 10, 13, 14, 15])
/** Connection exceptions, insufficient resources, operator intervention (also statement_timeout), system errors. */
const POSTGRES_CLASSES = new Set(['08', '53', '57', '58'])
/** Lock timeout, serialization failure, deadlock, a server that became a standby, transaction idle or open too long. */
const POSTGRES_CODES = new Set(['55P03', '40001', '40P01', '25006', '25P03', '25P04'])
const SOCKET_CODES = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENOTFOUND EAI_AGAIN'.split(
    ' ',
  ),
)

const QUERY_CANCELED = '57014'
const INSUFFICIENT_PRIVILEGE = '42501'

export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable'
}

/** A standby, or a server with default_transaction_read_only. */
export class ReadOnlyServer extends DatabaseUnavailable {}

/** The same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  const sqliteCode = primaryCodeOf(error)
  if (sqliteCode !== undefined) return SQLITE_CODES.has(sqliteCode)
  const { code } = error as { code?: unknown }
  if (typeof code === 'string')
    return SOCKET_CODES.has(code) || POSTGRES_CLASSES.has(code.slice(0, 2)) || POSTGRES_CODES.has(code)
  // These errors of pg have no code.
  return /^(timeout expired|Connection terminated|Client (was closed|has encountered a connection error))/.test(
    error.message,
  )
}

/** PostgreSQL still answers, so a smaller statement may succeed. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === QUERY_CANCELED
}

/** The same request succeeds when an operator has granted the right. */
export function isRightMissing(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === INSUFFICIENT_PRIVILEGE
}
