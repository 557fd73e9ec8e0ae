import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { ReadOnlyServer } from '../platform/database/unavailable.ts'
import { findDatabaseAdvice } from './explain.ts'

type Example = [situation: string, error: Error, advice: RegExp]

const START = /^Start PostgreSQL, or check the host and the port in DATABASE_URL\.$/
const HOST = /^Check the host in DATABASE_URL\.$/
const FILE = /^Let the user of the service read and write the file of DATABASE_URL and its folder\.$/
const CERTIFICATE = /^Check sslmode and sslrootcert in DATABASE_URL\.$/
const TLS_FILES = /^Check sslrootcert, sslcert and sslkey in DATABASE_URL\.$/
const INCOMPLETE = /^A restore into DATABASE_URL may be incomplete: restore a backup into a new database/

const EXAMPLES: Example[] = [
  ["a SQLite file can't be opened", sqliteError("attach '/no-such-folder/accounts.db' as other"), FILE],
  ['a SQLite file is read-only', sqliteError('pragma query_only = on; create table users (id text)'), FILE],
  [
    'the disk is full',
    sqliteError('pragma max_page_count = 1; create table users (id text); create table teams (id text)'),
    /^Make room on the disk of DATABASE_URL\. If it has room, check the disk\.$/,
  ],
  [
    'the disk of PostgreSQL is full',
    errorOf('53100', 'could not extend file "base/5/16384": No space left on device'),
    /^Make room on the disk of the server of DATABASE_URL\.$/,
  ],
  [
    'PostgreSQL has no free connection',
    errorOf('53300', 'sorry, too many clients already'),
    /^Raise max_connections on the server of DATABASE_URL, or the limit of its role or database/,
  ],
  [
    'the only server is a standby',
    new ReadOnlyServer('db2:5432 is read-only'),
    /^Write the address of the primary in DATABASE_URL, or turn default_transaction_read_only off\.$/,
  ],
  [
    'another process locks a SQLite file',
    Object.assign(new Error('database is locked'), { errcode: 5 }),
    /^Another process locks the file of DATABASE_URL, such as a move: wait for it, or end it\.$/,
  ],
  ['a table of SQLite is missing', sqliteError('select * from sessions'), INCOMPLETE],
  ['a table of PostgreSQL is missing', errorOf('42P01', 'relation "sessions" does not exist'), INCOMPLETE],
  ['PostgreSQL refuses connections', errorOf('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432'), START],
  ['PostgreSQL does not answer', errorOf('ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:5432'), START],
  [
    'something accepts the connection and resets it',
    new Error('read ECONNRESET', { cause: errorOf('ECONNRESET', 'read ECONNRESET', 'read') }),
    START,
  ],
  ['there is no way to the host', errorOf('EHOSTUNREACH', 'connect EHOSTUNREACH 192.0.2.1:5432'), START],
  ['the host is unknown', errorOf('ENOTFOUND', 'getaddrinfo ENOTFOUND db.example.com'), HOST],
  ['the name server does not answer', errorOf('EAI_AGAIN', 'getaddrinfo EAI_AGAIN db.example.com'), HOST],
  [
    'the password is wrong',
    errorOf('28P01', 'password authentication failed for user "accounts"'),
    /^Check the user and the password in DATABASE_URL\.$/,
  ],
  [
    'the server does not admit the role',
    errorOf('28000', 'no pg_hba.conf entry for host "192.0.2.1"'),
    /^Check the user in DATABASE_URL, sslcert and sslkey .+, and the lines of pg_hba\.conf/,
  ],
  [
    'the database does not exist',
    errorOf('3D000', 'database "accounts" does not exist'),
    /^Check the name of the database in DATABASE_URL, or create the database/,
  ],
  [
    'the role lacks a right',
    errorOf('42501', 'permission denied for schema public'),
    /^Make the role of DATABASE_URL the owner .*, or grant it the rights/,
  ],
  [
    'search_path names no schema that exists and that the role may use',
    errorOf('3F000', 'no schema has been selected to create in'),
    /^Let the role of DATABASE_URL use the schema .* \(grant usage on schema … to …\), create the schema, or reset search/,
  ],
  [
    'an event trigger refuses a migration',
    errorOf('P0001', 'no changes today'),
    /^A trigger or an event trigger in the database of DATABASE_URL refuses it: disable that one/,
  ],
  [
    'the server asks for a password that DATABASE_URL does not have',
    new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
    /write it in DATABASE_URL, or set PGPASSWORD\.$/,
  ],
  ['the server has no TLS', new Error('The server does not support SSL connections'), CERTIFICATE],
  ...[
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'CERT_HAS_EXPIRED',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ].map((code): Example => [`the certificate is refused with ${code}`, errorOf(code, 'a certificate'), CERTIFICATE]),
  [
    'a file of a TLS setting is missing',
    new Error("The file of sslrootcert can't be read", {
      cause: errorOf('ENOENT', 'ENOENT: no such file or directory', 'open'),
    }),
    TLS_FILES,
  ],
  [
    'a TLS setting names a folder',
    new Error('EISDIR', { cause: errorOf('EISDIR', 'EISDIR: illegal operation on a directory, read', 'read') }),
    TLS_FILES,
  ],
  ...['ERR_OSSL_PEM_NO_START_LINE', 'ERR_OSSL_UNSUPPORTED', 'ERR_OSSL_X509_KEY_VALUES_MISMATCH'].map(
    (code): Example => [`a file of a TLS setting is refused with ${code}`, errorOf(code, 'no start line'), TLS_FILES],
  ),
]

for (const [situation, error, advice] of EXAMPLES) {
  test(`findDatabaseAdvice says what to do when ${situation}`, () => {
    assert.match(findDatabaseAdvice(error) ?? '', advice)
  })
}

test('findDatabaseAdvice reads the cause of an error', () => {
  const cause = errorOf('ENOTFOUND', 'getaddrinfo ENOTFOUND db.example.com')
  assert.match(findDatabaseAdvice(new Error('The database is unavailable', { cause })) ?? '', HOST)
})

test('findDatabaseAdvice names --to when it has the address of the database', () => {
  for (const [situation, error] of EXAMPLES) {
    const advice = findDatabaseAdvice(error, '--to') ?? ''
    assert.match(advice, / --to[ ,.]/, situation)
    assert.doesNotMatch(advice, /DATABASE_URL/, situation)
  }
})

test('findDatabaseAdvice returns undefined for an error that does not show what is wrong', () => {
  const errors = [
    new Error('no such thing'),
    errorOf('57P03', 'the database system is starting up'),
    // The missing file may be the SQLite file or any other file.
    errorOf('ENOENT', 'ENOENT: no such file or directory', 'open'),
    sqliteError('select no_such_column'),
  ]
  for (const error of errors) assert.equal(findDatabaseAdvice(error), undefined, error.message)
})

function errorOf(code: string, message: string, syscall?: string): Error {
  return Object.assign(new Error(message), { code, ...(syscall && { syscall }) })
}

/** The error of Node for statements that SQLite refuses. */
function sqliteError(statements: string): Error {
  const database = new DatabaseSync(':memory:')
  try {
    database.exec(statements)
  } catch (error) {
    return error as Error
  } finally {
    database.close()
  }
  throw new Error('SQLite refuses nothing')
}
