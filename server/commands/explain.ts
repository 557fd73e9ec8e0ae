import { ConfigError } from '../platform/config/config.ts'
import { SecretError } from '../platform/crypto/secret-file.ts'
import { CopyError } from '../platform/database/copy/copy-error.ts'
import { MigrationError } from '../platform/database/migrate.ts'
import { WrongDatabaseError } from '../platform/database/own-tables.ts'
import { SERVICE_CONNECTIONS } from '../platform/database/postgres.ts'
import { isBusy, isDamaged, isUnopened, primaryCodeOf } from '../platform/database/sqlite-statements.ts'
import { isUnavailable, ReadOnlyServer } from '../platform/database/unavailable.ts'
import { ApiError } from '../platform/http/errors.ts'
import { ListenError } from '../platform/http/listen.ts'
import { CommandError } from './command.ts'

/** Their messages contain the solution. */
const SENTENCES = [CommandError, ConfigError, CopyError, MigrationError, SecretError, WrongDatabaseError, ApiError]

const FILE_CODES =
  'EACCES EPERM EROFS ENOENT ENOTDIR EISDIR EEXIST ELOOP ENAMETOOLONG EINVAL ENXIO ENOSPC EDQUOT EFBIG EIO'.split(' ')
/** SQLite result codes: IOERR, FULL. SQLite reports a full disk as either. */
const DISK_CODES = [10, 13]

/** @returns a sentence for a problem that an operator can solve, and the error with its stack for others */
export function explain(error: unknown, place = 'DATABASE_URL'): unknown {
  if (!(error instanceof Error)) return error
  if (SENTENCES.some((known) => error instanceof known)) return error.message
  const { syscall, code = '', message } = error as NodeJS.ErrnoException
  if (error instanceof ListenError) return `The service can't listen: ${message}. See PORT, HOST and METRICS_PORT.`
  if (isDamaged(error))
    return `The database of ${place} is damaged, or is no SQLite database: ${message}. Check ${place}. If it is damaged, restore a backup (docs/backup.md).`
  const advice = findDatabaseAdvice(error, place)
  if (advice !== undefined) return `The database of ${place} can't be used: ${messageOf(error)}. ${advice}`
  if (code === 'EPERM' && syscall === 'chmod')
    return `A file belongs to another user: ${message}. Make the user of the service its owner (chown): only the owner may read it.`
  if (syscall !== undefined && FILE_CODES.includes(code))
    return `A file can't be used: ${message}. Check ${place}, correct the permissions of the folder, or make room on the disk.`
  if (isUnavailable(error))
    return `The database or a port is not available: ${message || code}. Check ${place}, the disk and HOST, or run \`npm run accounts -- doctor\`.`
  return error
}

/** @returns undefined for errors that do not show what is wrong */
export function findDatabaseAdvice(error: Error, place = 'DATABASE_URL'): string | undefined {
  const cause = error.cause instanceof Error ? error.cause : error
  const { code = '', syscall } = cause as NodeJS.ErrnoException
  if (isBusy(cause)) return `Another process locks the file of ${place}, such as a move: wait for it, or end it.`
  if (isUnopened(cause)) return `Let the user of the service read and write the file of ${place} and its folder.`
  if (DISK_CODES.includes(primaryCodeOf(cause) ?? 0))
    return `Make room on the disk of ${place}. If it has room, check the disk.`
  if (/^no such table/.test(cause.message) || code === '42P01')
    return `A restore into ${place} may be incomplete: restore a backup into a new database (docs/backup.md).`
  if (code === '53100') return `Make room on the disk of the server of ${place}.`
  if (code === '53300')
    return `Raise max_connections on the server of ${place}, or the limit of its role or database: a process has up to ${SERVICE_CONNECTIONS} connections.`
  if (cause instanceof ReadOnlyServer)
    return `Write the address of the primary in ${place}, or turn default_transaction_read_only off.`
  if (code === '3D000')
    return `Check the name of the database in ${place}, or create the database (docs/operations.md, "PostgreSQL").`
  if (code === '42501')
    return `Make the role of ${place} the owner (alter database … owner to …), or grant it the rights that docs/operations.md, "PostgreSQL", names.`
  if (code === '3F000')
    return `Let the role of ${place} use the schema that its search_path names (grant usage on schema … to …), create the schema, or reset search_path.`
  if (code === 'P0001')
    return `A trigger or an event trigger in the database of ${place} refuses it: disable that one while this command runs.`
  if (/client password must be a string/.test(cause.message))
    return `The server asks for a password: write it in ${place}, or set PGPASSWORD.`
  if (code.startsWith('ERR_OSSL_') || code === 'EISDIR' || (error !== cause && syscall === 'open'))
    return `Check sslrootcert, sslcert and sslkey in ${place}.`
  return findConnectionAdvice(cause, place)
}

export function findConnectionAdvice(cause: Error, place: string): string | undefined {
  const { code = '' } = cause as NodeJS.ErrnoException
  const isCertificate = /^(?:ERR_TLS|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/.test(code)
  if (['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH'].includes(code))
    return `Start PostgreSQL, or check the host and the port in ${place}.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `Check the host in ${place}.`
  if (code === '28P01') return `Check the user and the password in ${place}.`
  if (code === '28000')
    return `Check the user in ${place}, sslcert and sslkey if the server wants a certificate, and the lines of pg_hba.conf on the server.`
  if (isCertificate || /does not support SSL/.test(cause.message)) return `Check sslmode and sslrootcert in ${place}.`
  return undefined
}

function messageOf(error: Error): string {
  return error.message.replace(/^SASL: .*/, 'it has no password')
}
