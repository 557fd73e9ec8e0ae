import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { runInProcess } from '../../test/support/command.ts'
import { createMigratedDatabase } from '../../test/support/migrated-database.ts'
import { query } from '../../test/support/postgres.ts'
import { newSecret, runAccounts, startProcess } from '../../test/support/process.ts'
import { startSmtpScript } from '../../test/support/smtp-script.ts'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createTestDatabase } from '../../test/support/test-database.ts'
import { until } from '../../test/support/until.ts'
import { OPERATOR } from '../core/audit/actor.ts'
import { recordEvent } from '../core/audit/record-event.ts'
import { createAdmin } from '../features/account/setup/create-admin.ts'
import { readConfig } from '../platform/config/config.ts'
import { insertAppliedMigration } from '../platform/database/applied-migrations.ts'
import { openMigrated } from './prepare.ts'

const runtime = {
  now: Date.now,
  randomBytes: (byteCount: number) => crypto.getRandomValues(Buffer.alloc(byteCount)),
  log: pino({ level: 'silent' }),
}

test('doctor fails without the table of change rows, except on an engine that never has it', async (t) => {
  const testDatabase = await createMigratedDatabase('postgres')
  t.after(() => testDatabase.drop())
  const environment = { DATABASE_URL: testDatabase.url, SECRET: newSecret() }
  const { context, close } = await openMigrated(readConfig(environment), runtime)
  await context.database.schema.dropTable('rowChanges').execute()
  await close()
  const { output } = await doctor(environment)
  assert.match(output, /^FAIL {2}change rows: the table rowChanges is missing: restore a backup into a new database/m)
  for (const statement of [
    `create function version() returns text language sql as $$ select 'CockroachDB CCL v25.2.0' $$`,
    `alter database ${new URL(testDatabase.url).pathname.slice(1)} set search_path = public, pg_catalog`,
  ])
    await query(testDatabase.url, statement)
  const other = await doctor(environment)
  assert.match(other.output, /^ok {4}change rows: none on this engine: each session is looked up$/m)
})

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`doctor (${engine})`, () => {
    test('doctor prints ok for a database in use, and the failed checks', async (t) => {
      const testDatabase = await createMigratedDatabase(engine)
      t.after(() => testDatabase.drop())
      const SECRET = newSecret()
      const service = await startProcess(testDatabase.url, { SECRET })
      t.after(() => service.child.kill('SIGKILL'))
      const { output } = await doctor({ DATABASE_URL: testDatabase.url, SECRET, REQUIRE_TWO_FACTOR: 'staff' })
      for (const what of ['configuration', 'database', 'damage', 'secret', 'clock'])
        assert.match(output, new RegExp(`^ok    ${what}: `, 'm'))
      if (engine === 'postgres') {
        assert.match(output, /^ok {4}time limits: the server applies them$/m)
        assert.match(output, /^ok {4}change rows: every change writes them$/m)
      }
      assert.match(output, /^FAIL {2}administrator: there is none/m)
      assert.match(output, /^ok {4}two-step verification: required of staff$/m)
    })

    test('doctor names a table that is missing, as after an incomplete restore', async (t) => {
      const testDatabase = await createMigratedDatabase(engine)
      t.after(() => testDatabase.drop())
      const SECRET = newSecret()
      const { context, close } = await openMigrated(readConfig({ DATABASE_URL: testDatabase.url, SECRET }), runtime)
      await context.database.schema.dropTable('passkeys').execute()
      const { code, output } = await doctor({ DATABASE_URL: testDatabase.url, SECRET })
      assert.equal(code, 1)
      assert.match(output, /^FAIL {2}database: it has no passkeys; .* restore a backup into a new database/m)
      await insertAppliedMigration(context.database, '9999-later', { kind: 'expand' })
      await close()
      const later = await doctor({ DATABASE_URL: testDatabase.url, SECRET })
      assert.match(later.output, /^ok {4}database: up to date/m)
    })

    test('doctor fails while the only administrator is banned or unverified', async (t) => {
      const testDatabase = await createMigratedDatabase(engine)
      t.after(() => testDatabase.drop())
      const settings = { DATABASE_URL: testDatabase.url, SECRET: newSecret() }
      const { context, close } = await openMigrated(readConfig(settings), runtime)
      await createAdmin(context, { email: 'ada@example.com', name: 'Ada Admin' })
      assert.match((await doctor(settings)).output, /^ok {4}administrator: there is one$/m)
      const setState = (state: { banned: number; banExpires: number | null; emailVerified: number }) =>
        context.database.updateTable('users').set(state).execute()
      for (const state of [
        { banned: 1, banExpires: null, emailVerified: 1 },
        { banned: 1, banExpires: Date.now() + 3_600_000, emailVerified: 1 },
        { banned: 0, banExpires: null, emailVerified: 0 },
      ]) {
        await setState(state)
        assert.match((await doctor(settings)).output, /^FAIL {2}administrator: there is none who is verified and not/m)
      }
      // Maintenance lifts an expired ban, and does not run while the service is stopped.
      await setState({ banned: 1, banExpires: Date.now() - 1, emailVerified: 1 })
      assert.match((await doctor(settings)).output, /^ok {4}administrator: there is one$/m)
      await close()
    })

    test('doctor fails for another SECRET, and for a clock behind the audit log', async (t) => {
      const testDatabase = await createMigratedDatabase(engine)
      t.after(() => testDatabase.drop())
      const SECRET = newSecret()
      const ahead = { ...runtime, now: () => Date.now() + 3_600_000 }
      const { context, close } = await openMigrated(readConfig({ DATABASE_URL: testDatabase.url, SECRET }), ahead)
      await recordEvent(context.database, context, OPERATOR, { action: 'user.updated' })
      await close()
      const behind = await doctor({ DATABASE_URL: testDatabase.url, SECRET })
      assert.equal(behind.code, 1)
      assert.match(
        behind.output,
        /^FAIL {2}clock: it is 3\d\d\d s behind the newest audit event: set it by NTP; .* succeeds after 2\S+Z$/m,
      )
      const wrong = await doctor({ DATABASE_URL: testDatabase.url, SECRET: newSecret() })
      assert.match(wrong.output, /^FAIL {2}secret: SECRET is not the one that this database was made with/m)
    })
  })
}

test("doctor says what to do about a PostgreSQL and a mail server that it can't use", async (t) => {
  const { url, drop } = await createTestDatabase('postgres')
  t.after(drop)
  const at = (change: Partial<URL>) => Object.assign(new URL(url), change).href
  for (const [DATABASE_URL, line] of [
    [at({ port: '1' }), /^FAIL {2}server: .*ECONNREFUSED.*\. Start PostgreSQL, or check the host and the port/m],
    [at({ username: 'nobody' }), /^FAIL {2}server: password auth.*\. Check the user and the password in DATABASE_URL/m],
    [at({ pathname: '/none' }), /^FAIL {2}server: database "none" does not exist\. Check the name/m],
    [
      at({ hostname: '0.0.0.0' }),
      /^FAIL {2}encryption: the connections to 0\.0\.0\.0 are not encrypted: add sslmode=/m,
    ],
    [at({ hostname: '0.0.0.0', search: '?sslmode=disable' }), /^ok {4}encryption: as DATABASE_URL asks$/m],
    [at({ search: '?sslmode=verify-full&sslrootcert=/none' }), /^FAIL {2}server: ENOENT.*\. Check sslrootcert/m],
  ] as const)
    assert.match((await doctor({ DATABASE_URL, SECRET: newSecret() })).output, line)
  const { output } = await doctor({
    DATABASE_URL: at({ port: '1' }),
    SMTP_URL: 'smtp://127.0.0.1:1',
    SECRET: newSecret(),
  })
  assert.match(output, /^FAIL {2}mail: connect ECONNREFUSED .*\. Check the host, the port, .* in SMTP_URL/m)
})

test('doctor prints the response of a mail server without its control characters', async (t) => {
  const script = await startSmtpScript()
  t.after(() => script.close())
  script.replies.greeting = '554 \x1b[2Jno'
  const DATABASE_URL = `sqlite:${createTemporaryFolder(t)}/accounts.db`
  const { output } = await doctor({ DATABASE_URL, SMTP_URL: `smtp://127.0.0.1:${script.port}` })
  assert.match(output, /^FAIL {2}mail: Invalid greeting\..*554 {2}?\[2Jno/m)
  assert.ok(!output.includes('\x1b'))
})

test('doctor fails for a mail server that refuses MAIL_FROM, with its words', async (t) => {
  const script = await startSmtpScript()
  t.after(() => script.close())
  const settings = {
    DATABASE_URL: `sqlite:${createTemporaryFolder(t)}/accounts.db`,
    SMTP_URL: `smtp://127.0.0.1:${script.port}`,
    MAIL_FROM: 'Accounts <accounts@example.com>',
  }
  assert.match(
    (await doctor(settings)).output,
    /^ok {4}mail: the server accepts the sender at MAIL FROM, not encrypted$/m,
  )
  script.replies['MAIL FROM'] = '452 4.3.1 Insufficient system storage'
  const { output } = await doctor(settings)
  assert.match(output, /^FAIL {2}mail: .* at MAIL FROM: 452 4\.3\.1 Insufficient system storage\. All emails wait/m)
  assert.ok(script.lines.some(({ text }) => text === 'MAIL FROM:<accounts@example.com>'))
})

test('doctor says that a check takes longer while the mail server does not respond', async (t) => {
  const script = await startSmtpScript()
  t.after(() => script.close())
  script.replies.greeting = 'hang'
  const settings = {
    DATABASE_URL: `sqlite:${createTemporaryFolder(t)}/accounts.db`,
    SMTP_URL: `smtp://127.0.0.1:${script.port}`,
  }
  const { child, output } = runAccounts(['doctor'], settings)
  t.after(() => child.kill('SIGKILL'))
  await until(() => output().includes('mail: this check takes longer'), 'doctor says so')
})

test('doctor says which port belongs to smtps:// when the mail server does not begin with TLS', async (t) => {
  const script = await startSmtpScript()
  t.after(() => script.close())
  const DATABASE_URL = `sqlite:${createTemporaryFolder(t)}/accounts.db`
  const { output } = await doctor({ DATABASE_URL, SMTP_URL: `smtps://127.0.0.1:${script.port}` })
  assert.match(output, /^FAIL {2}mail: .*smtps:\/\/ is for a port that begins with TLS, such as 465/m)
})

test('doctor says what to do about the certificate of a mail server that is not trusted', async (t) => {
  const script = await startSmtpScript()
  t.after(() => script.close())
  script.replies = { EHLO: '250-ready\r\n250 STARTTLS', STARTTLS: '220 go ahead' }
  const DATABASE_URL = `sqlite:${createTemporaryFolder(t)}/accounts.db`
  const { output } = await doctor({ DATABASE_URL, SMTP_URL: `smtp://relay:secret@localhost:${script.port}` })
  assert.match(output, /^FAIL {2}mail: self-signed certificate.* set NODE_EXTRA_CA_CERTS in the environment$/m)
  const local = await doctor({ DATABASE_URL, SMTP_URL: `smtp://localhost:${script.port}` })
  assert.match(local.output, /^ok {4}mail: .* at MAIL FROM, encrypted with a certificate that is not verified$/m)
})

test('doctor fails for a mail server that offers no sign-in when SMTP_URL has a password', async (t) => {
  const script = await startSmtpScript()
  t.after(() => script.close())
  const DATABASE_URL = `sqlite:${createTemporaryFolder(t)}/accounts.db`
  const SMTP_URL = `smtp://relay:secret@127.0.0.1:${script.port}`
  const { output: signedIn } = await doctor({ DATABASE_URL, SMTP_URL })
  assert.match(signedIn, /^ok {4}mail: the server accepts the password and the sender at MAIL FROM, not encrypted$/m)
  script.replies.EHLO = '250 ready'
  const { output } = await doctor({ DATABASE_URL, SMTP_URL })
  assert.match(output, /^FAIL {2}mail: The mail server offers no sign-in, .*\. Check the host, the port, the user and/m)
})

test('doctor fails for a .env with a secret or a password that other users can read, and for no other', async (t) => {
  const folder = createTemporaryFolder(t)
  const configuration = async (text: string, mode: number) => {
    const settings = { DATABASE_URL: `sqlite:${folder}/accounts.db`, SMTP_URL: 'smtp://127.0.0.1:1' }
    const writeFile = (path: string) => {
      writeFileSync(join(path, '.env'), `${text}\n`)
      chmodSync(join(path, '.env'), mode)
    }
    const { output } = await runInProcess(['doctor'], settings, writeFile)
    return /^.*configuration: .*/m.exec(output)?.[0] ?? output
  }
  for (const text of [
    `SECRET=${newSecret()}`,
    `export PREVIOUS_SECRET="${newSecret()}"`,
    'PGPASSWORD=hunter2',
    'SMTP_URL=smtp://relay:hunter2@mail.example.com:587',
    'DATABASE_URL=postgres://accounts:hunter2@db1:5432,db2:5432/accounts',
    'DATABASE_URL=postgres://accounts@db1/accounts?password=hunter2',
  ]) {
    assert.match(
      await configuration(text, 0o644),
      /^FAIL {2}configuration: other users can read .*\/\.env: run chmod 600 \//,
    )
    assert.match(await configuration(text, 0o600), /^ok {4}configuration: http/, text)
  }
  for (const text of ['PORT=4000', 'PREVIOUS_SECRET=', 'SMTP_URL=smtp://mail.example.com:587?tls=optional'])
    assert.match(await configuration(text, 0o644), /^ok {4}configuration: http/, text)
})

describe('doctor on SQLite', () => {
  test('doctor without a database creates nothing, and prints the solution', async (t) => {
    const folder = createTemporaryFolder(t)
    const { code, output } = await doctor({ DATABASE_URL: `sqlite:${folder}/deep/accounts.db` })
    assert.equal(code, 1)
    assert.match(
      output,
      /^FAIL {2}database: there is none yet; npm start creates it, and prints a link to make the first/m,
    )
    assert.deepEqual(readdirSync(folder), [])
  })

  test("doctor names the folder in which the start can't create a database", async (t) => {
    const folder = createTemporaryFolder(t)
    writeFileSync(join(folder, 'file'), '')
    // Files can't be created in /proc/self, not even by root.
    for (const unusable of ['/proc/self', join(folder, 'file')]) {
      const { code, output } = await doctor({
        DATABASE_URL: `sqlite:${unusable}/deep/accounts.db`,
        SECRET: newSecret(),
      })
      assert.equal(code, 1)
      assert.ok(
        output.includes(`FAIL  database: there is none yet, and the service can't write to ${unusable}; `),
        output,
      )
    }
  })

  test('doctor names a link to a missing folder, which a start does not create', async (t) => {
    const folder = createTemporaryFolder(t)
    const link = join(folder, 'data')
    symlinkSync(join(folder, 'volume'), link)
    const { code, output } = await doctor({ DATABASE_URL: `sqlite:${link}/deep/accounts.db`, SECRET: newSecret() })
    assert.equal(code, 1)
    assert.ok(output.includes(`FAIL  database: ${link} is a link to a missing folder; mount it, or `), output)
  })

  test('doctor changes no byte and creates no file, and fails for a missing secret', async (t) => {
    const folder = createTemporaryFolder(t)
    const DATABASE_URL = await newDatabase(folder)
    const before = contentOf(folder)
    assert.match((await doctor({ DATABASE_URL })).output, /^ok {4}secret: the one that/m)
    assert.deepEqual(contentOf(folder), before)
    rmSync(join(folder, 'secret'))
    const missing = await doctor({ DATABASE_URL })
    assert.match(
      missing.output,
      /^FAIL {2}secret: it is missing: put your copy of the file back, .*If it is lost, follow /m,
    )
    assert.deepEqual(Object.keys(contentOf(folder)), ['accounts.db'])
  })

  test('doctor fails and a start warns once when other users can read the secret, and both leave its mode', async (t) => {
    const folder = createTemporaryFolder(t)
    const DATABASE_URL = await newDatabase(folder)
    const secret = join(folder, 'secret')
    assert.match(
      (await doctor({ DATABASE_URL })).output,
      /^ok {4}files: the user of this process may write them, and \d+ MiB are free$/m,
    )
    chmodSync(secret, 0o644)
    const { code, output } = await doctor({ DATABASE_URL })
    assert.equal(code, 1)
    assert.ok(
      output.includes(`FAIL  files: other users can read or change the file ${secret}: run chmod 600 ${secret}\n`),
      output,
    )
    const service = await startProcess(DATABASE_URL)
    t.after(() => service.child.kill('SIGKILL'))
    assert.equal(service.output().split('other users can read or change the file').length - 1, 1, service.output())
    assert.equal(statSync(secret).mode & 0o777, 0o644)
  })

  test('doctor prints damaged pages in words', async (t) => {
    const folder = createTemporaryFolder(t)
    const DATABASE_URL = await newDatabase(folder)
    const path = join(folder, 'accounts.db')
    const whole = readFileSync(path)
    const pageBytes = whole.readUInt16BE(16)
    for (const [from, to] of [
      [pageBytes * 3, whole.length],
      [0, pageBytes],
    ]) {
      writeFileSync(path, Buffer.from(whole).fill(0x5a, from, to))
      const { code, output } = await doctor({ DATABASE_URL })
      assert.equal(code, 1)
      assert.match(output, /^FAIL {2}damage: the database is damaged: .*restore a backup/m)
      assert.match(output, /^skip {2}secret: solve "damage" first$/m)
      assert.doesNotMatch(output, /at .*\.ts:/)
    }
  })
})

async function doctor(settings: Record<string, string>): Promise<{ code: number; output: string }> {
  const { code, output, errors } = await runInProcess(['doctor'], settings)
  return { code, output: `${output}${errors}` }
}

async function newDatabase(folder: string): Promise<string> {
  const databaseUrl = `sqlite:${folder}/accounts.db`
  const { close } = await openMigrated(readConfig({ DATABASE_URL: databaseUrl }), runtime)
  await close()
  return databaseUrl
}

function contentOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).sort()
  return Object.fromEntries(names.map((name) => [name, hash('sha256', readFileSync(join(folder, name)))]))
}
