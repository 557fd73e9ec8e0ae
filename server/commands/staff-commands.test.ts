import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type CommandResult, runInProcess } from '../../test/support/command.ts'
import { createMigratedDatabase } from '../../test/support/migrated-database.ts'
import type { Engine } from '../../test/support/test-database.ts'
import { readConfig } from '../platform/config/config.ts'
import { openDatabase } from '../platform/database/open.ts'

const SECRET = 'a secret of the test that is long enough'

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`commands for users, emails and the audit log (${engine})`, () => {
    test('users seed creates users, and refuses a database with other users', async () => {
      await withDatabase(engine, async (run, url) => {
        const made = await run('users', 'seed', '--count', '5001')
        assert.equal(made.code, 0, made.errors)
        assert.match(made.output, /Created 5001 users/)
        const users = await ask(url, (database) => database.selectFrom('users').selectAll().limit(6_000).execute())
        assert.equal(users.length, 5001)
        assert.ok(users.every(({ email }) => /^[a-z]+\.[a-z]+\.[0-9a-z]+@people\.invalid$/.test(email)))
        assert.ok(users.every(({ createdAt, updatedAt }) => createdAt <= updatedAt && updatedAt <= Date.now()))
        assert.ok(new Set(users.map(({ name }) => name)).size > 1_000)
        assert.equal((await run('users', 'seed', '--count', '1')).code, 0)
        await run('admin', 'create', '--email', 'admin@example.com', '--name', 'Ada Admin')
        const refused = await run('users', 'seed', '--count', '1')
        assert.equal(refused.code, 1)
        assert.match(refused.errors, /real users/)
      })
    })

    test('emails list prints failed emails, and emails retry sends them again', async () => {
      await withDatabase(engine, async (run, url) => {
        assert.match((await run('emails', 'list')).output, /No email waits/)
        await ask(url, (database) =>
          database
            .insertInto('outbox')
            .values([
              failedEmail('eml_1', 'encrypted'),
              failedEmail('eml_2', null),
              // A public form that sent nothing leaves such an email.
              { ...failedEmail('eml_3', null), recipient: '' },
            ])
            .execute(),
        )
        const listed = await run('emails', 'list', '--failed')
        assert.match(listed.output, /eml_1 .* reset password {2}ada@example\.com {2}failed attempts: 1\n {2}550 no/)
        assert.match(listed.output, /eml_2 .*the text is deleted/)
        assert.doesNotMatch(listed.output, /eml_3/)
        const purged = await run('emails', 'retry', 'eml_2')
        assert.deepEqual([purged.code, /no such email/.test(purged.errors)], [1, true])
        assert.match((await run('emails', 'retry', '--failed')).output, /sent again: 1\./)
        assert.match((await run('emails', 'list')).output, /eml_1/)
      })
    })

    test('emails list prints the response of a server on one line, without characters that change the direction of text', async () => {
      await withDatabase(engine, async (run, url) => {
        // An earlier version stored such a response as it was.
        const email = { ...failedEmail('eml_1', null), lastError: '550 \u202eno\u001b[2J\neml_2' }
        await ask(url, (database) => database.insertInto('outbox').values(email).execute())
        assert.match((await run('emails', 'list', '--failed')).output, /\n {2}550 no \[2J eml_2\n/)
      })
    })

    test('audit verify prints the id of a changed event on one line', async () => {
      await withDatabase(engine, async (run, url) => {
        await run('admin', 'create', '--email', 'admin@example.com', '--name', 'Ada Admin')
        assert.match((await run('audit', 'verify')).output, /whole: 1 event\.$/m)
        const id = 'evt_\u202e\nThe audit log is whole: 1 event.'
        await ask(url, (database) => database.updateTable('auditEvents').set({ id }).execute())
        const { output, errors } = await run('audit', 'verify')
        assert.match(errors, /^The audit log was tampered with\. Event 1 \(evt_ The audit log is whole/m)
        assert.doesNotMatch(`${output}${errors}`, /\u202e|^The audit log is whole/m)
      })
    })

    test('audit verify succeeds, and names a changed event', async () => {
      await withDatabase(engine, async (run, url) => {
        assert.match((await run('audit', 'verify')).output, /whole: 0 events/)
        await run('admin', 'create', '--email', 'admin@example.com', '--name', 'Ada Admin')
        assert.match((await run('audit', 'verify')).output, /whole: 1 event\.$/m)
        await run('admin', 'create', '--email', 'other@example.com', '--name', 'Otto Other')
        const whole = await run('audit', 'verify')
        assert.equal(whole.code, 0)
        const head = /store elsewhere: (\d+:[\w-]{43})/.exec(whole.output)?.[1] ?? ''
        assert.equal((await run('audit', 'verify', '--head', head)).code, 0)
        await ask(url, (database) =>
          database.updateTable('auditEvents').set({ details: '{"role":"user"}' }).where('sequence', '=', 2).execute(),
        )
        const touched = await run('audit', 'verify')
        assert.equal(touched.code, 1)
        assert.match(touched.errors, /Event 2 \(evt_\w+\) was changed/)
        await ask(url, (database) => database.updateTable('auditHead').set({ sequence: 0 }).execute())
        await run('admin', 'create', '--email', 'third@example.com', '--name', 'Thea Third')
        assert.match(
          (await run('audit', 'verify')).errors,
          /The audit log was tampered with\. The chain head was changed/,
        )
        await ask(url, (database) => database.deleteFrom('auditHead').execute())
        assert.match(
          (await run('audit', 'verify')).errors,
          /The audit log was tampered with\. The chain head was removed/,
        )
      })
    })
  })
}

test('users reset-two-factor turns off the two-step verification of the user with the email address', async () => {
  await withDatabase('sqlite', async (run, url) => {
    const email = 'admin@example.com'
    await run('admin', 'create', '--email', email, '--name', 'Ada Admin')
    await ask(url, (database) => database.updateTable('users').set({ twoFactorEnabled: 1 }).execute())
    const done = await run('users', 'reset-two-factor', '--email', email, '--reason', 'Lost the phone')
    assert.deepEqual([done.code, done.errors], [0, ''])
    assert.match(done.output, /^admin@example\.com has no two-step verification now/)
    const events = await ask(url, (database) =>
      database.selectFrom('auditEvents').select('details').where('action', '=', 'two-factor.reset').execute(),
    )
    assert.deepEqual(
      events.map(({ details }) => details),
      ['{"reason":"Lost the phone"}'],
    )
  })
})

test('admin create for an existing user says what it changes', async () => {
  await withDatabase('sqlite', async (run) => {
    const create = (...words: string[]) =>
      run('admin', 'create', '--email', 'ada@example.com', '--name', 'Ada', ...words)
    assert.match((await create()).output, /^ada@example\.com is an administrator\.$/m)
    assert.match(
      (await create()).output,
      /existing user .*; the name stays as it was\. The password and the sessions stay/,
    )
    const { output } = await run('admin', '--help')
    assert.match(output, /An existing user keeps the name, and a ban is lifted\./)
    assert.match(output, /--password-stdin replaces the password and ends all sessions\./)
  })
})

test('The help of users says to which domain the email addresses of seeded users belong', async () => {
  await withDatabase('sqlite', async (run) => {
    assert.match((await run('users', '--help')).output, /people\.invalid/)
  })
})

type Run = (...words: string[]) => Promise<CommandResult>

async function withDatabase(engine: Engine, use: (run: Run, url: string) => Promise<void>): Promise<void> {
  const testDatabase = await createMigratedDatabase(engine)
  try {
    await use((...words) => runInProcess(words, { DATABASE_URL: testDatabase.url, SECRET }), testDatabase.url)
  } finally {
    await testDatabase.drop()
  }
}

async function ask<T>(
  url: string,
  question: (database: ReturnType<typeof openDatabase>['database']) => Promise<T>,
): Promise<T> {
  const { database, close } = openDatabase(readConfig({ DATABASE_URL: url, SECRET }).database, () => {})
  try {
    return await question(database)
  } finally {
    await close()
  }
}

function failedEmail(id: string, encryptedEmail: string | null) {
  const now = Date.now()
  return {
    id,
    kind: 'reset password',
    recipient: 'ada@example.com',
    subjectId: null,
    organizationId: null,
    priority: 0,
    encryptedEmail,
    createdAt: now,
    attempts: 1,
    lastAttemptAt: now,
    nextAttemptAt: now,
    leasedUntil: null,
    sentAt: null,
    failedAt: now,
    lastError: '550 no such mailbox',
  }
}
