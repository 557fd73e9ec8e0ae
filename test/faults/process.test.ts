import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { runCommand } from '../../server/commands/run.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { openDatabase } from '../../server/platform/database/open.ts'
import { createClient } from '../support/client.ts'
import { runInProcess } from '../support/command.ts'
import { getFreePort } from '../support/free-port.ts'
import { holdRequest } from '../support/held-request.ts'
import { holdTransaction } from '../support/hold-transaction.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import { newSecret, printedSetupToken, runAccounts, startProcess } from '../support/process.ts'
import { residentMebibytes } from '../support/resident-memory.ts'
import { START_OPTIONS } from '../support/start-options.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { PASSWORD } from '../support/users.ts'

const ADA = { name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD }

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`Process (${engine})`, () => {
    test('A service that is ready has given back the memory of its start, and has at most 150 MiB', {
      skip: process.platform !== 'linux',
    }, async (t) => {
      const testDatabase = await createMigratedDatabase(engine)
      t.after(() => testDatabase.drop())
      const environment = { SECRET: newSecret(), NODE_OPTIONS: START_OPTIONS.join(' ') }
      const service = await startProcess(testDatabase.url, environment)
      t.after(() => service.child.kill('SIGKILL'))
      assert.ok(residentMebibytes(service.child.pid!)! <= 150)
    })

    test('Wrong passwords of clients that have disconnected are in the audit log after SIGTERM', async (t) => {
      const testDatabase = await createMigratedDatabase(engine)
      t.after(() => testDatabase.drop())
      const SECRET = newSecret()
      const service = await startProcess(testDatabase.url, { SECRET })
      t.after(() => service.child.kill('SIGKILL'))
      const guess = { email: 'unknown@example.com', password: 'a wrong password' }
      const hold = () => holdRequest(service.baseUrl, '/api/auth/sign-in/email', guess)
      const guesses = await Promise.all(Array.from({ length: 20 }, hold))
      for (const held of guesses) held.release().catch(() => {})
      // After this answer, the service has read the guesses, and hashes the first of them.
      await createClient(service.baseUrl).get('/api/auth/ok')
      for (const held of guesses) held.abort()
      service.child.kill('SIGTERM')
      assert.equal(await service.ended, 0)
      assert.doesNotMatch(service.output(), /"level":(40|50)/)
      const { database: settings } = readConfig({ DATABASE_URL: testDatabase.url, SECRET })
      const { database, close } = openDatabase(settings, () => {})
      t.after(close)
      const events = await database
        .selectFrom('auditEvents')
        .select('details')
        .where('action', '=', 'sign-in.failed')
        .execute()
      const counts = events.map(({ details }) => (JSON.parse(details) as { count: number }).count)
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        20,
      )
    })

    test('A crash is a line of the log with the level error, and the exit code is 1', async (t) => {
      const testDatabase = await createMigratedDatabase(engine)
      t.after(() => testDatabase.drop())
      const crash = `data:text/javascript,process.on('SIGUSR2',()=>{throw(new(Error)('broken'))})`
      const environment = { SECRET: newSecret(), NODE_OPTIONS: `--import=${crash}` }
      const service = await startProcess(testDatabase.url, environment)
      t.after(() => service.child.kill('SIGKILL'))
      service.child.kill('SIGUSR2')
      assert.equal(await service.ended, 1)
      const line = /^\{"level":50,.*"broken".*"the process ends by an error"\}$/m
      assert.match(service.output(), line)
    })

    test('Each line of the log of a process is JSON, also after the first request of OpenID Connect', async (t) => {
      const testDatabase = await createMigratedDatabase(engine)
      t.after(() => testDatabase.drop())
      const standardErrorFile = join(createTemporaryFolder(t), 'log')
      const environment = { SECRET: newSecret(), LOG_LEVEL: 'debug' }
      const service = await startProcess(testDatabase.url, environment, { standardErrorFile })
      t.after(() => service.child.kill('SIGKILL'))
      const { status } = await createClient(service.baseUrl).get('/.well-known/openid-configuration')
      assert.equal(status, 200)
      service.child.kill('SIGTERM')
      assert.equal(await service.ended, 0)
      const lines = readFileSync(standardErrorFile, 'utf8').trimEnd().split('\n')
      assert.ok(lines.length > 3, lines.join('\n'))
      for (const line of lines) assert.match(line, /^\{"level":\d+,.*\}$/)
    })

    test('An acknowledged change is stored after SIGKILL', async (t) => {
      const testDatabase = await createMigratedDatabase(engine)
      t.after(() => testDatabase.drop())
      const SECRET = newSecret()
      const first = await startProcess(testDatabase.url, { SECRET })
      const setup = await createClient(first.baseUrl).post('/api/setup', { ...ADA, token: printedSetupToken(first) })
      assert.equal(setup.status, 200)
      first.child.kill('SIGKILL')
      await first.ended
      const second = await startProcess(testDatabase.url, { SECRET })
      t.after(() => second.child.kill('SIGKILL'))
      const bearer = { headers: { authorization: `Bearer ${setup.body.token}` } }
      assert.equal((await createClient(second.baseUrl).get('/api/auth/get-session', bearer)).body.user.email, ADA.email)
    })
  })
}

test('The first start prints a link that creates the first administrator once, and later starts print none', async (t) => {
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const SECRET = newSecret()
  const first = await startProcess(testDatabase.url, { SECRET })
  t.after(() => first.child.kill('SIGKILL'))
  const setup = { ...ADA, token: printedSetupToken(first) }
  const client = createClient(first.baseUrl)
  assert.equal((await client.post('/api/setup', { ...setup, token: 'x'.repeat(43) })).body.code, 'INVALID_TOKEN')
  assert.equal((await client.post('/api/setup', setup)).status, 200)
  assert.equal((await client.post('/api/setup', setup)).status, 400)
  first.child.kill('SIGTERM')
  assert.equal(await first.ended, 0)
  const second = await startProcess(testDatabase.url, { SECRET })
  assert.doesNotMatch(second.output(), /setup#/)
  second.child.kill('SIGHUP')
  assert.equal(await second.ended, 0)
})

test('SIGTERM ends the process with code 0 after the running requests are answered', async (t) => {
  const testDatabase = await createMigratedDatabase('postgres')
  t.after(() => testDatabase.drop())
  const service = await startProcess(testDatabase.url, { SECRET: newSecret() })
  t.after(() => service.child.kill('SIGKILL'))
  const signIn = { email: 'unknown@example.com', password: PASSWORD }
  const held = await holdRequest(service.baseUrl, '/api/auth/sign-in/email', signIn)
  service.child.kill('SIGTERM')
  await until(() => service.output().includes('stopping'), 'the signal has arrived')
  assert.match(await held.release(), /^HTTP\/1\.1 401 /)
  assert.equal(await service.ended, 0)
})

test('After SIGTERM, a further request on the connection is answered like any other', async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const service = await startProcess(testDatabase.url, { SECRET: newSecret() })
  t.after(() => service.child.kill('SIGKILL'))
  const signIn = { email: 'unknown@example.com', password: PASSWORD }
  const held = await holdRequest(service.baseUrl, '/api/auth/sign-in/email', signIn, { connection: 'keep-alive' })
  service.child.kill('SIGTERM')
  await until(() => service.output().includes('stopping'), 'the signal has arrived')
  const answers = await held.release(
    `GET /api/auth/get-session HTTP/1.1\r\nhost: ${new URL(service.baseUrl).host}\r\n\r\n`,
  )
  const [, first = '', second = ''] = answers.split('HTTP/1.1 ')
  assert.match(first, /^401 /)
  assert.match(second, /^200 OK\r\n.*x-request-id: .*\r\n\r\nnull$/s)
  assert.equal(await service.ended, 0)
})

test("A process serves while its log can't be written", { skip: !existsSync('/dev/full') }, async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const environment = { SECRET: newSecret(), LOG_LEVEL: 'debug' }
  const service = await startProcess(testDatabase.url, environment, { standardErrorFile: '/dev/full' })
  t.after(() => service.child.kill('SIGKILL'))
  const client = createClient(service.baseUrl)
  const body = { email: 'unknown@example.com', password: PASSWORD }
  for (let count = 0; count < 20; count += 1)
    assert.equal((await client.post('/api/auth/sign-in/email', body)).status, 401)
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
})

test("A process serves while its standard output can't be written", {
  skip: !existsSync('/dev/full'),
}, async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const port = await getFreePort()
  const baseUrl = `http://localhost:${port}`
  const environment = { SECRET: newSecret(), DATABASE_URL: testDatabase.url, PORT: String(port), BASE_URL: baseUrl }
  const { child, ended } = runAccounts(['start'], environment, { standardOutputFile: '/dev/full' })
  t.after(() => child.kill('SIGKILL'))
  const isReady = () =>
    createClient(baseUrl)
      .get('/readyz')
      .then(({ status }) => status === 200)
      .catch(() => false)
  await until(isReady, 'the process is ready')
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
})

test('SIGTERM ends the process while a request is incomplete', async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const service = await startProcess(testDatabase.url, { SECRET: newSecret() }, { hasShortWaits: true })
  t.after(() => service.child.kill('SIGKILL'))
  const held = await holdRequest(service.baseUrl, '/api/auth/sign-in/email', { email: 'unknown@example.com' })
  t.after(() => held.abort())
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
})

test('A start with PORT=0 prints the port that it has chosen, with one process and with several', async (t) => {
  for (const WORKERS of ['1', '2']) {
    const testDatabase = await createTestDatabase(WORKERS === '1' ? 'sqlite' : 'postgres')
    t.after(() => testDatabase.drop())
    const settings = { DATABASE_URL: testDatabase.url, SECRET: newSecret(), PORT: '0', WORKERS }
    const { child, ended, output } = runAccounts(['start'], settings)
    t.after(() => child.kill('SIGKILL'))
    await until(() => output().includes('Accounts is ready'), 'the service is ready')
    const baseUrl = /Accounts is ready at (http:\/\/localhost:\d+) /.exec(output())?.[1] ?? ''
    // A request with another Host than that of BASE_URL would be refused.
    assert.equal((await createClient(baseUrl).get('/api/auth/get-session')).status, 200)
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
  }
})

test('The process deletes expired tokens by itself', async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const SECRET = newSecret()
  const { database: settings } = readConfig({ DATABASE_URL: testDatabase.url, SECRET })
  const { database, close } = openDatabase(settings, () => {})
  t.after(close)
  const expired = {
    id: 'sut_old',
    purpose: 'reset password' as const,
    tokenHash: 'x',
    userId: null,
    data: '{}',
    createdAt: 1,
    expiresAt: 2,
  }
  await database.insertInto('singleUseTokens').values(expired).execute()
  const service = await startProcess(testDatabase.url, { SECRET })
  t.after(() => service.child.kill('SIGKILL'))
  const find = () => database.selectFrom('singleUseTokens').select('id').where('id', '=', expired.id).executeTakeFirst()
  await until(async () => (await find()) === undefined, 'the token is deleted')
})

test('SIGUSR1 opens no debugger, which every user of the machine could use', async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const service = await startProcess(testDatabase.url, {
    SECRET: newSecret(),
    NODE_OPTIONS: START_OPTIONS.join(' '),
  })
  t.after(() => service.child.kill('SIGKILL'))
  service.child.kill('SIGUSR1')
  for (let count = 0; count < 3; count += 1)
    assert.equal((await createClient(service.baseUrl).get('/readyz')).status, 200)
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
  assert.doesNotMatch(service.output(), /Debugger/)
})

test('SIGTERM before the setup link is stored ends the process with code 0, and it is never ready', async (t) => {
  const testDatabase = await createMigratedDatabase('postgres')
  t.after(() => testDatabase.drop())
  const port = await getFreePort()
  const settings = { DATABASE_URL: testDatabase.url, SECRET: newSecret(), PORT: String(port) }
  const release = await holdTransaction(t, testDatabase.url, 'lock table "singleUseTokens"')
  const service = runAccounts(['start'], settings)
  t.after(() => service.child.kill('SIGKILL'))
  const { get } = createClient(`http://localhost:${port}`)
  await until(async () => (await get('/healthz').catch(() => undefined))?.status === 200, 'the service listens')
  service.child.kill('SIGTERM')
  await until(() => service.output().includes('stopping'), 'the signal has arrived')
  release()
  assert.equal(await service.ended, 0)
  assert.match(service.output(), /setup#/)
  assert.doesNotMatch(service.output(), /Accounts is ready|"level":50/)
})

test('SIGTERM ends the process with code 0 while the setup link waits for a database that hangs', async (t) => {
  const testDatabase = await createMigratedDatabase('postgres')
  t.after(() => testDatabase.drop())
  const port = await getFreePort()
  const settings = { DATABASE_URL: testDatabase.url, SECRET: newSecret(), PORT: String(port) }
  await holdTransaction(t, testDatabase.url, 'lock table "singleUseTokens"')
  const service = runAccounts(['start'], settings, { hasShortWaits: true })
  t.after(() => service.child.kill('SIGKILL'))
  const { get } = createClient(`http://localhost:${port}`)
  await until(async () => (await get('/healthz').catch(() => undefined))?.status === 200, 'the service listens')
  service.child.kill('SIGTERM')
  await until(() => service.child.exitCode !== null, 'the process ends')
  assert.equal(service.child.exitCode, 0)
  assert.doesNotMatch(service.output(), /setup#|Accounts is ready|"level":50/)
})

test('SIGTERM ends the process while a check waits for a mail server that is silent', async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const mailServer = createServer().listen(0, '127.0.0.1')
  await once(mailServer, 'listening')
  const connected = once(mailServer, 'connection')
  t.after(async () => {
    mailServer.close()
    ;(await connected)[0].destroy()
  })
  const { port } = mailServer.address() as AddressInfo
  const settings = { SECRET: newSecret(), SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'accounts@example.com' }
  const service = await startProcess(testDatabase.url, settings, { hasShortWaits: true })
  t.after(() => service.child.kill('SIGKILL'))
  const client = createClient(service.baseUrl)
  assert.equal((await client.post('/api/setup', { ...ADA, token: printedSetupToken(service) })).status, 200)
  const asked = client.get('/api/auth/admin/get-system').catch(() => {})
  await connected
  service.child.kill('SIGTERM')
  await asked
  await until(() => service.child.exitCode !== null, 'the process ends')
  assert.equal(service.child.exitCode, 0)
})

describe('Command line', () => {
  test('start with an invalid configuration names every problem and changes nothing', async () => {
    const { ended, output } = runAccounts(['start'], { PORT: 'x', BASE_URL: 'nowhere', DATABASE_URL: 'mysql://x' })
    assert.equal(await ended, 1)
    assert.match(output(), /3 problems/)
    for (const name of ['PORT', 'BASE_URL', 'DATABASE_URL']) assert.match(output(), new RegExp(name))
    assert.doesNotMatch(output(), /at .*\.ts:/)
  })

  test('A command refuses the database of a newer version', async (t) => {
    const testDatabase = await createMigratedDatabase('sqlite')
    t.after(() => testDatabase.drop())
    const environment = { DATABASE_URL: testDatabase.url, SECRET: newSecret() }
    const database = new DatabaseSync(testDatabase.url.slice('sqlite:'.length))
    database.exec("insert into kysely_migration (name, timestamp) values ('9999-from-the-future', 'now')")
    database.close()
    const { ended, output } = runAccounts(['start'], environment)
    assert.equal(await ended, 1)
    assert.match(output(), /newer than this version of Accounts: it has 9999-from-the-future/)
  })

  test('migrate --dry-run lists the missing migrations with their kind, and changes nothing', async (t) => {
    const testDatabase = await createTestDatabase('sqlite')
    t.after(() => testDatabase.drop())
    const path = testDatabase.url.slice('sqlite:'.length)
    const dryRun = async () => {
      const { code, output, errors } = await runInProcess(['migrate', '--dry-run'], { DATABASE_URL: testDatabase.url })
      assert.deepEqual([code, errors], [0, ''])
      return output
    }
    assert.match(await dryRun(), /^ {2}0020-row-changes: expand, earlier versions go on working$/m)
    assert.deepEqual(readdirSync(dirname(path)), [])
    assert.equal((await runInProcess(['migrate'], { DATABASE_URL: testDatabase.url })).code, 0)
    const database = new DatabaseSync(path)
    database.exec("delete from kysely_migration where name = '0019-openid-provider'")
    const missing = 'Missing migrations: 1\n  0019-openid-provider: contract, earlier versions stop working\n'
    assert.equal(await dryRun(), missing)
    assert.equal(await dryRun(), missing)
    database.close()
  })

  test('admin create prints a link that sets the password of the new administrator once', async (t) => {
    const testDatabase = await createMigratedDatabase('sqlite')
    t.after(() => testDatabase.drop())
    const SECRET = newSecret()
    const service = await startProcess(testDatabase.url, { SECRET })
    t.after(() => service.child.kill('SIGKILL'))
    const environment = { DATABASE_URL: testDatabase.url, SECRET, BASE_URL: service.baseUrl }
    const words = ['admin', 'create', '--email', 'Ada@Example.com', '--name', 'Ada Admin']
    const { code, output } = await runInProcess(words, environment)
    assert.equal(code, 0)
    const token = /reset-password#token=([\w-]{43})/.exec(output)?.[1]
    const client = createClient(service.baseUrl)
    const reset = { newPassword: PASSWORD, token }
    assert.deepEqual((await client.post('/api/auth/reset-password', reset)).body, { status: true })
    assert.equal((await client.post('/api/auth/reset-password', reset)).body.code, 'INVALID_TOKEN')
    const signedIn = await client.post('/api/auth/sign-in/email', ADA)
    assert.equal(signedIn.status, 400, 'sign-in has no field name')
    const { email, password } = ADA
    assert.equal((await client.post('/api/auth/sign-in/email', { email, password })).body.user.role, 'admin')
  })

  test('admin create reads a password from standard input, and promotes an existing user', async (t) => {
    const testDatabase = await createMigratedDatabase('sqlite')
    t.after(() => testDatabase.drop())
    const environment = { DATABASE_URL: testDatabase.url, SECRET: newSecret() }
    const create = ['admin', 'create', '--email', ADA.email, '--name', ADA.name, '--password-stdin']
    for (const expected of [/is an administrator/, /is an existing user and now an administrator/]) {
      const { child, ended, output } = runAccounts(create, environment)
      child.stdin?.end(`${PASSWORD}\n`)
      assert.equal(await ended, 0)
      assert.match(output(), expected)
      assert.doesNotMatch(output(), /reset-password/)
    }
    const weak = runAccounts(create, environment)
    weak.child.stdin?.end('password1')
    assert.equal(await weak.ended, 1)
    assert.match(weak.output(), /easy to guess/)
  })

  test('admin create leaves a byte order mark out of the password, and refuses a password that is not UTF-8', async (t) => {
    const testDatabase = await createMigratedDatabase('sqlite')
    t.after(() => testDatabase.drop())
    const environment = { DATABASE_URL: testDatabase.url, SECRET: newSecret() }
    const create = ['admin', 'create', '--email', ADA.email, '--name', ADA.name, '--password-stdin']
    const short = runAccounts(create, environment)
    short.child.stdin?.end('\ufeff7chars!\r\n')
    assert.equal(await short.ended, 1)
    assert.match(short.output(), /at least 8 characters/)
    const latin = runAccounts(create, environment)
    latin.child.stdin?.end(Buffer.from('Pässwörter für Ada', 'latin1'))
    assert.equal(await latin.ended, 1)
    assert.match(latin.output(), /^The password on standard input is not encoded in UTF-8\.$/m)
  })

  test('--help explains every command, and a wrong command is refused with a reason', async (t) => {
    const help = runAccounts(['--help'], {})
    assert.equal(await help.ended, 0)
    const commands = [...help.output().matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name ?? '')
    assert.ok(commands.length >= 6)
    for (const name of commands) {
      const print = t.mock.method(console, 'log', () => {})
      await runCommand([name, '--help'])
      print.mock.restore()
      assert.match(String(print.mock.calls[0]?.arguments), new RegExp(`^Usage: npm run accounts -- ${name}`))
    }
    const wrong = runAccounts(['strat'], {})
    assert.equal(await wrong.ended, 1)
    assert.match(wrong.output(), /no command "strat"/)
  })

  test('A command whose output is no longer read ends without an error message', async () => {
    const { child, ended } = runAccounts(['openapi'], {})
    let errors = ''
    child.stderr?.on('data', (text) => {
      errors += text
    })
    child.stdout?.destroy()
    assert.equal(await ended, 1)
    assert.equal(errors, '')
  })

  test('openapi prints the document without a database', async () => {
    const settings = { DATABASE_URL: 'postgres://localhost:1/none', SECRET: newSecret() }
    const { code, output, errors } = await runInProcess(['openapi'], settings)
    assert.equal(code, 0, errors)
    assert.equal(JSON.parse(output).openapi, '3.1.0')
  })

  test('openapi leaves an empty folder empty', async (t) => {
    const folder = createTemporaryFolder(t)
    const { code, errors } = await runInProcess(['openapi'], { DATABASE_URL: `sqlite:${folder}/accounts.db` })
    assert.equal(code, 0, errors)
    assert.deepEqual(readdirSync(folder), [])
  })

  test('access prints the access of all routes and creates no file', async (t) => {
    const folder = createTemporaryFolder(t)
    const { code, output, errors } = await runInProcess(['access'], { DATABASE_URL: `sqlite:${folder}/accounts.db` })
    assert.equal(code, 0, errors)
    const rows = output
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
    assert.deepEqual(
      rows.filter(([method, path]) => method === 'METHOD' || /set-role|\/api\/token|api-key\/update/.test(path ?? '')),
      [
        ['METHOD', 'PATH', 'SESSION', 'EMAIL', 'FRESH', 'PERMISSION', 'LIMIT', 'ORIGINS', 'IMPERSONATED'],
        [
          'POST',
          '/api/auth/admin/set-role',
          'required',
          'verified',
          'fresh',
          'staff user.set-role',
          'change',
          'own',
          'refused',
        ],
        [
          'POST',
          '/api/auth/api-key/update',
          'required',
          'verified',
          'fresh',
          'apiKey.update',
          'change',
          'own',
          'refused',
        ],
        ['GET', '/api/token', 'required, or api key', 'verified', '-', '-', 'guess', 'services', 'allowed'],
      ],
    )
    assert.ok(rows.length > 100)
    assert.deepEqual(readdirSync(folder), [])
  })
})

test("A command whose output can't be written does its work, says so and fails", {
  skip: !existsSync('/dev/full'),
}, async (t) => {
  const DATABASE_URL = `sqlite:${createTemporaryFolder(t)}/accounts.db`
  const environment = { DATABASE_URL, SECRET: newSecret() }
  const { ended, output } = runAccounts(['migrate'], environment, { standardOutputFile: '/dev/full' })
  assert.equal(await ended, 1)
  assert.match(output(), /^The output can't be written: ENOSPC.* The command goes on\.\n$/)
  const again = runAccounts(['migrate'], environment)
  assert.equal(await again.ended, 0)
  assert.match(again.output(), /up to date/)
})
