import assert from 'node:assert/strict'
import { exec } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { runInProcess } from '../../test/support/command.ts'
import { newSecret, runAccounts } from '../../test/support/process.ts'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { openapiCommand } from './openapi.ts'
import { runCommand } from './run.ts'

const WRONG_LINES: [line: string, problem: string][] = [
  ['start --port 4001', 'Unexpected argument "--port".'],
  ['doctor --foo', 'Unexpected argument "--foo".'],
  ['openapi --foo', 'Unexpected argument "--foo".'],
  ['access foo', 'Unexpected argument "foo".'],
  ['seed --count 5', 'Unexpected argument "--count".'],
  ['admin delete --email ada@example.com', 'There is no "admin delete".'],
  ['admin create --email ada@example.com', '--email and --name are needed.'],
  ['admin create --email ada@example.com --name Ada --email eve@example.com', "Option '--email' is repeated."],
  ['admin create --mail ada@example.com', "Unknown option '--mail'."],
  ['keys', 'One of list, rotate, withdraw, rotate-secret is needed.'],
  ['keys foo', 'There is no "keys foo".'],
  ['keys toString', 'There is no "keys toString".'],
  ['keys withdraw', 'withdraw needs the ID of a key. keys list shows the IDs.'],
  ['keys list x', 'Unexpected argument "x".'],
  ['emails', 'list or retry is needed.'],
  ['emails foo', 'There is no "emails foo".'],
  ['emails retry', 'retry needs either the ID of an email or --failed.'],
  ['emails retry eml_1 --failed', 'retry needs either the ID of an email or --failed.'],
  ['emails list --all', "Unknown option '--all'."],
  ['restore', 'The file of a backup, list or confirm is needed.'],
  ['restore a b', 'Unexpected argument "b".'],
  ['restore confirm', 'confirm needs IDs, or --all. restore list shows the IDs.'],
  ['restore confirm --al', "Unknown option '--al'."],
  ['restore confirm key_1 --all', '--all stands alone, without IDs.'],
  ['emails list eml_1', 'Unexpected argument "eml_1".'],
  ['audit', 'verify is needed.'],
  ['audit check', 'There is no "audit check".'],
  [
    'audit verify --head x',
    '--head must be the whole head that this command prints: a number, a colon and 43 characters.',
  ],
  ['users', 'reset-two-factor or seed is needed.'],
  ['users remove', 'There is no "users remove".'],
  ['users seed', '--count, a whole number up to 10000000, is needed.'],
  ['users seed --count 0', '--count, a whole number up to 10000000, is needed.'],
  ['users seed --count 1e3', '--count, a whole number up to 10000000, is needed.'],
  ['users seed --count 1 --x', "Unknown option '--x'."],
  ['users seed --count -1', '--count needs a value. Write --count=VALUE if the value begins with a dash.'],
  ['users seed --count=-1', '--count, a whole number up to 10000000, is needed.'],
  ['backup --to', "Option '--to <value>' argument missing."],
  ['migrate --dry', "Unknown option '--dry'."],
  ['import', '--from is needed.'],
]
const ADMIN_NAME =
  '--name must have at most 100 characters and be one line with a letter or a digit, and without web addresses, telephone numbers, invisible characters and long piles of accents (write a space after a full stop).'
const RESET = '--email and --reason, one line of at most 200 characters, are needed.'
const WRONG: [words: string[], problem: string][] = [
  ...WRONG_LINES.map(([line, problem]): [string[], string] => [line.split(' '), problem]),
  ...['Ada\nAdmin', 'A'.repeat(101), '   ', 'Ada\u202enimdA'].map((name): [string[], string] => [
    ['admin', 'create', '--email', 'ada@example.com', '--name', name],
    ADMIN_NAME,
  ]),
  [['users', 'reset-two-factor', '--email', 'ada@example.com', '--reason', ' '], RESET],
  [['users', 'reset-two-factor', '--reason', 'Lost the phone'], RESET],
]
// A database that can't be reached: a command that runs fails with another sentence.
const UNREACHABLE = { DATABASE_URL: 'postgres://ada@127.0.0.1:1/x', SECRET: newSecret() }

test('A command with wrong arguments says what is wrong with its help, and does not run', async (t) => {
  t.mock.property(process, 'env', { ...process.env, ...UNREACHABLE })
  for (const [words, problem] of WRONG)
    await assert.rejects(runCommand(words), (error: Error) => {
      assert.equal(error.message.split('\n')[0], problem)
      assert.ok(error.message.startsWith(`${problem}\n\nUsage: npm run accounts -- ${words[0]}`), error.message)
      return true
    })
})

test('A name that every object has is no command', async () => {
  for (const name of ['toString', 'constructor', '__proto__'])
    for (const words of [[name], [name, '--help']])
      await assert.rejects(runCommand(words), (error: Error) =>
        error.message.startsWith(`There is no command "${name}".`),
      )
})

test('A wrong use is printed without a stack, and the exit code is 1', async () => {
  const { ended, output } = runAccounts(['keys', 'foo'], UNREACHABLE)
  assert.equal(await ended, 1)
  assert.ok(output().startsWith('There is no "keys foo".\n\nUsage: npm run accounts -- keys'), output())
  assert.doesNotMatch(output(), / at /)
})

test("import says what to do about a report that can't be written", async () => {
  const words = ['import', '--from', 'sqlite:/tmp/x.db', '--report', '/proc/self/none/report.tsv']
  const { ended, output } = runAccounts(words, { DATABASE_URL: 'postgres://ada@127.0.0.1:1/x', SECRET: newSecret() })
  assert.equal(await ended, 1)
  assert.match(output(), /^The report can't be written: ENOENT.+\. Choose a folder that exists and can be written\.\n$/)
})

test('help and -h print the same as --help', async () => {
  const print = (...words: string[]) => runInProcess(words, {})
  const all = await print('--help')
  const ofCommand = await print('backup', '--help')
  assert.equal(all.code, 0)
  assert.deepEqual(await print('help'), all)
  assert.deepEqual(await print('-h'), all)
  assert.deepEqual(await print('backup', '-h'), ofCommand)
})

test('The command for a file in the help of openapi prints nothing but the document', async () => {
  const [, command = ''] = /: (npm .*) > openapi\.json$/m.exec(openapiCommand.help) ?? []
  const { stdout } = await promisify(exec)(command, {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, DATABASE_URL: 'sqlite:/none/accounts.db' },
    maxBuffer: 16 * 1024 * 1024,
  })
  assert.equal(JSON.parse(stdout).openapi, '3.1.0')
})

test('A command does not run without an option that npm has taken, because the line has no --', async (t) => {
  const folder = createTemporaryFolder(t)
  const fromNpm = { DATABASE_URL: `sqlite:${folder}/accounts.db`, npm_lifecycle_event: 'accounts' }
  for (const [words, variable, option] of [
    ['migrate', 'npm_config_dry_run', '--dry-run'],
    ['import --from=sqlite:other.db', 'npm_config_dry_run', '--dry-run'],
    ['emails list', 'npm_config_failed', '--failed'],
    ['audit verify', 'npm_config_heading', '--head'],
  ] as const) {
    const { code, errors } = await runInProcess(words.split(' '), { ...fromNpm, [variable]: 'true' })
    assert.equal(code, 1, words)
    assert.match(errors, new RegExp(`^npm has taken ${option}: write -- after accounts, as in the usage`))
  }
  assert.deepEqual(readdirSync(folder), [])
  const unrelated = { npm_config_failed: 'true', npm_config_heading: 'npm' }
  const settings = { ...fromNpm, ...unrelated, npm_config_dry_run: 'true' }
  const { code, errors } = await runInProcess(['migrate', '--dry-run'], settings)
  assert.equal(code, 0, errors)
})
