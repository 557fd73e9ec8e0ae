import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf } from '../../../test/support/config-problems.ts'
import { newSecret } from '../../../test/support/process.ts'
import { readConfig } from './config.ts'
import { findEncryptionProblem, listHostUrls } from './postgres-url.ts'

test('listHostUrls returns one URL for each host, with its own port and the common rest', () => {
  assert.deepEqual(
    listHostUrls(
      'postgres://ada:p%40ss@one:5432,two,[::1]:5433/accounts?sslmode=verify-full&target_session_attrs=read-write',
    ),
    [
      'postgres://ada:p%40ss@one:5432/accounts?sslmode=verify-full&target_session_attrs=read-write',
      'postgres://ada:p%40ss@two/accounts?sslmode=verify-full&target_session_attrs=read-write',
      'postgres://ada:p%40ss@[::1]:5433/accounts?sslmode=verify-full&target_session_attrs=read-write',
    ],
  )
})

test('listHostUrls returns a URL with one host unchanged', () => {
  for (const url of [
    'postgres://localhost/accounts',
    'postgresql://ada:a,b@one:5432/accounts',
    'postgres:///accounts?host=/run/postgresql',
    'postgres://ada:a@b@one/accounts',
  ])
    assert.deepEqual(listHostUrls(url), [url])
})

test('Plain connections to another machine are a problem unless DATABASE_URL asks for them', () => {
  for (const url of [
    'postgres://one/accounts?sslmode=verify-full',
    'postgres://one,two/accounts?sslmode=disable',
    'postgres://one/accounts?ssl=true',
    'postgres://LOCALHOST/accounts',
    'postgres://127.0.0.1,[::1]:5433/accounts',
    'postgres://ada@%2Fvar%2Frun%2Fpostgresql/accounts',
    'postgres:///accounts?host=/run/postgresql',
    'postgres:///accounts',
  ])
    assert.equal(findEncryptionProblem(url, {}), undefined, url)
  assert.equal(findEncryptionProblem('postgres://one/accounts', { PGSSLMODE: 'verify-full' }), undefined)
  for (const [url, hosts] of [
    ['postgres://ada:hunter2@one/accounts', 'one'],
    ['postgres://ada:hunter2@localhost,two:5433,[2001:db8::1]/accounts', 'two, 2001:db8::1'],
    ['postgres:///accounts?host=three', 'three'],
    ['postgres:///accounts', 'four'],
    ['postgres://one/accounts?sslpassword=hunter2', 'one'],
  ] as const) {
    const problem = findEncryptionProblem(url, { PGHOST: 'four' }) ?? ''
    assert.ok(problem.startsWith(`the connections to ${hosts} are not encrypted: add sslmode=verify-full`), problem)
    assert.ok(!problem.includes('hunter2'))
  }
})

const withHosts = (hosts: string, rest = '/accounts') => `postgres://accounts:hunter2@${hosts}${rest}`

test('DATABASE_URL may have several hosts, and one port for all as a parameter', () => {
  for (const url of [
    withHosts('one,two'),
    withHosts('one:5432,two:5433,[2001:db8::1]:5434'),
    withHosts('one,two', '/accounts?port=6432'),
    withHosts('one,two', '/accounts?target_session_attrs=read-write'),
    withHosts('one,two', '/accounts?target_session_attrs=primary&sslmode=require'),
    withHosts('one', '/accounts?target_session_attrs=any'),
    'postgres:///accounts?host=/run/postgresql',
  ])
    assert.deepEqual(problemsOf({ DATABASE_URL: url }), [], url)
})

test('DATABASE_URL with wrong hosts or an unknown target_session_attrs is refused, without its password', () => {
  for (const [url, reason] of [
    [withHosts('one,'), /^DATABASE_URL is not an address such as postgres:/],
    [withHosts(',one'), /is not an address/],
    [withHosts('one:54x2,two'), /is not an address/],
    [withHosts('one:5432:5433,two'), /is not an address/],
    [withHosts('one:70000'), /is not an address/],
    [withHosts('[::1,two'), /is not an address/],
    ['postgres:accounts', /is not an address/],
    [withHosts('one,two', '/accounts?host=three'), /several hosts and the parameter host/],
    [withHosts('one', '/accounts?host=two,three'), /several hosts and the parameter host/],
    [withHosts('one,two', '/accounts?target_session_attrs=standby'), /unknown target_session_attrs/],
    [withHosts('one', '/accounts?target_session_attrs=prefer-standby'), /unknown target_session_attrs/],
    [withHosts('one', '/accounts?application_name=web-1'), /the parameter application_name, which the service sets/],
    [withHosts('one', '/accounts?sslmode=require&statement_timeout=0'), /the parameter statement_timeout/],
    [withHosts('one', '/accounts?sslmode=verify'), /an sslmode that is not supported: write verify-full/],
    [withHosts('one', '/accounts?sslmode=allow'), /an sslmode that is not supported: write verify-full/],
    [withHosts('one', '/accounts?service=accounts'), /the parameter service, which is not supported/],
    [withHosts('one,two', '/accounts?lock_timeout=0'), /the parameter lock_timeout/],
    [withHosts('one', '/accounts?client_encoding=LATIN1'), /the parameter client_encoding/],
    [withHosts('one,two', '/accounts?target_session_attrs=any'), /target_session_attrs=any and several hosts/],
  ] as const) {
    const [problem = '', ...more] = problemsOf({ DATABASE_URL: url })
    assert.deepEqual(more, [], url)
    assert.match(problem, reason, url)
    assert.doesNotMatch(problem, /hunter2/)
  }
})

test('DATABASE_URL refuses every parameter of pg that would replace a setting of the service', () => {
  const own =
    'application_name fallback_application_name statement_timeout lock_timeout idle_in_transaction_session_timeout query_timeout client_encoding replication'
  for (const name of own.split(' ')) {
    const [problem = ''] = problemsOf({ DATABASE_URL: withHosts('one', `/accounts?${name}=0`) })
    assert.match(problem, new RegExp(`has the parameter ${name}, which the service sets itself`))
  }
})

test('DATABASE_URL with spaces around it names the same database', () => {
  const read = (url: string) => readConfig({ DATABASE_URL: url, SECRET: newSecret() }).database
  for (const url of ['postgres://localhost/accounts', 'sqlite:./accounts.db'])
    assert.deepEqual(read(` ${url}\n`), read(url))
})
