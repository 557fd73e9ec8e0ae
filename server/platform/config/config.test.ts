import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { problemsOf, SECRET } from '../../../test/support/config-problems.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readConfig } from './config.ts'

describe('readConfig', () => {
  test('readConfig has a default for every setting', (t) => {
    const folder = createTemporaryFolder(t)
    const config = readConfig({ DATABASE_URL: `sqlite:${folder}/deep/accounts.db` })
    assert.equal(config.baseUrl, 'http://localhost:3000')
    assert.equal(config.host, 'localhost')
    assert.equal(config.passwordMinLength, 8)
  })

  test('readConfig reads the secret beside a SQLite database, and creates none', (t) => {
    const folder = createTemporaryFolder(t)
    const environment = { DATABASE_URL: `sqlite:${folder}/accounts.db` }
    assert.equal(readConfig(environment).secret, '')
    assert.deepEqual(readdirSync(folder), [])
    writeFileSync(join(folder, 'secret'), `${SECRET}\n`)
    assert.equal(readConfig(environment).secret, SECRET)
  })

  test('readConfig refuses a secret file that is empty, short or unreadable, with the solution', (t) => {
    const folder = createTemporaryFolder(t)
    const read = () => readConfig({ DATABASE_URL: `sqlite:${folder}/accounts.db` })
    for (const [content, reason] of [
      ['', /secret is empty: put your copy of it back/],
      [' \n', /secret is empty/],
      ['x'.repeat(31), /secret is shorter than 32 characters: put your copy of it back/],
    ] as const) {
      writeFileSync(join(folder, 'secret'), content)
      assert.throws(read, reason)
    }
    rmSync(join(folder, 'secret'))
    mkdirSync(join(folder, 'secret'))
    assert.throws(read, /secret can't be read .*, or set SECRET/)
  })

  test('readConfig names every problem in one error', () => {
    const problems = problemsOf({
      PORT: '70000',
      BASE_URL: 'accounts',
      LOG_LEVEL: 'loud',
      PASSWORD_MIN_LENGTH: '4',
      RETURN_TO_ORIGINS: 'https://a.example/path',
    })
    assert.equal(problems.length, 5)
    for (const name of ['PORT', 'BASE_URL', 'LOG_LEVEL', 'PASSWORD_MIN_LENGTH', 'RETURN_TO_ORIGINS']) {
      assert.ok(
        problems.some((problem) => problem.includes(name)),
        name,
      )
    }
  })

  test('readConfig refuses plain http and a missing SMTP_URL outside of localhost', () => {
    for (const BASE_URL of ['http://accounts.example.com', 'http://localhost.example.com', 'http://notlocalhost']) {
      const problems = problemsOf({ BASE_URL })
      assert.match(problems.join('\n'), /must be https/, BASE_URL)
      assert.match(problems.join('\n'), /SMTP_URL is missing/, BASE_URL)
    }
  })

  test('readConfig refuses a HOST that shows the dev mailbox to other machines', () => {
    for (const HOST of ['0.0.0.0', '::', '192.168.1.2', 'accounts.internal', '127.evil.example', 'notlocalhost']) {
      assert.match(problemsOf({ HOST }).join('\n'), /other machines could read the emails/, HOST)
      assert.match(problemsOf({ HOST, SMTP_URL: '' }).join('\n'), /Set HOST to localhost, or set SMTP_URL/)
      assert.doesNotMatch(problemsOf({ HOST, PORT: 'x', SMTP_URL: 'smtp://mail.example.com' }).join('\n'), /HOST/)
    }
    for (const HOST of ['localhost', '127.0.0.1', '::1', ''])
      assert.doesNotMatch(problemsOf({ HOST, PORT: 'x' }).join('\n'), /HOST/, HOST)
  })

  test('readConfig refuses PostgreSQL without SECRET, and asks for the one of the database before a new one', () => {
    const problems = problemsOf({ SECRET: '', DATABASE_URL: 'postgres://localhost/accounts' }).join()
    assert.match(
      problems,
      /SECRET is missing: set it to the one that .* its backup was made with.* A new database needs/,
    )
  })

  test('readConfig refuses an empty, blank or short SECRET', () => {
    assert.match(problemsOf({ SECRET: '' }).join(), /SECRET is empty: set it, or remove it/)
    assert.match(problemsOf({ SECRET: ' '.repeat(40) }).join(), /SECRET is shorter than 32/)
    assert.match(problemsOf({ SECRET: 'short' }).join(), /SECRET is shorter than 32/)
  })

  test('readConfig refuses a PREVIOUS_SECRET that is short or equal to SECRET', () => {
    assert.match(problemsOf({ PREVIOUS_SECRET: 'short' }).join(), /PREVIOUS_SECRET is shorter than 32/)
    assert.match(problemsOf({ PREVIOUS_SECRET: SECRET }).join(), /PREVIOUS_SECRET is the same as SECRET/)
    assert.deepEqual(problemsOf({ PREVIOUS_SECRET: SECRET.toUpperCase() }), [])
  })

  test('readConfig refuses a limit that is out of range or not a whole number', () => {
    const names = [
      'NETWORK_GUESSES_PER_5_MINUTES',
      'ACCOUNT_GUESSES_PER_15_MINUTES',
      'NETWORK_EMAIL_REQUESTS_PER_5_MINUTES',
      'USER_CHANGES_PER_MINUTE',
      'NETWORK_CHANGES_PER_MINUTE',
      'NETWORK_REGISTRATIONS_PER_HOUR',
    ]
    for (const name of names)
      for (const text of ['0', '-1', '1.5', 'many', '1000001'])
        assert.match(problemsOf({ [name]: text }).join(), new RegExp(`^${name} is`))
  })

  test('readConfig refuses signing keys under 2048 bits and passwords under 8 characters', () => {
    for (const [name, text] of Object.entries({ JWT_KEY_BITS: '2047', PASSWORD_MIN_LENGTH: '7' }))
      assert.match(problemsOf({ [name]: text }).join(), new RegExp(`^${name} is`))
  })

  test('readConfig refuses several workers on SQLite', () => {
    assert.match(problemsOf({ WORKERS: '2' }).join(), /WORKERS is over 1 with SQLite/)
  })

  test('readConfig refuses a MAIL_FROM that is not exactly one address', () => {
    for (const MAIL_FROM of [
      'no address',
      'a@b.example\nBcc: x@y.example',
      'A\nBcc <a@b.example>',
      '"A\nBcc: x@y.example" <a@b.example>',
      'a@b.example, c@d.example',
      'A <a>',
      'Works, Inc. <a@b.example>',
      'c@d.example, A <a@b.example>',
      'Works: Accounts <a@b.example>',
      '"A" <a@b.example>, "B" <c@d.example>',
      'büro@b.example',
      'A <büro@b.example>',
    ]) {
      const [problem = '', ...more] = problemsOf({ MAIL_FROM })
      assert.deepEqual(more, [])
      assert.match(problem, /^MAIL_FROM is ".+": write one address, such as /)
    }
    for (const MAIL_FROM of [
      'a@b.example',
      'Accounts <a@b.example>',
      '"Works, Inc." <a@b.example>',
      'Ünï <a@[::1]>',
      'a@bücher.example',
    ])
      assert.deepEqual(problemsOf({ MAIL_FROM }), [])
  })

  test('readConfig refuses an empty DATABASE_URL, which would create a new database', () => {
    assert.deepEqual(problemsOf({ DATABASE_URL: '' }), [
      'DATABASE_URL is empty: set it, or remove it to use sqlite:./data/accounts.db.',
    ])
    assert.match(problemsOf({ DATABASE_URL: ' ' }).join(), /^DATABASE_URL is empty/)
  })

  test('readConfig refuses parameters of a SQLite address, which would create a new database', () => {
    for (const DATABASE_URL of ['sqlite:./data/accounts.db?mode=rwc', 'sqlite:/data/accounts.db?connection_limit=1'])
      assert.deepEqual(problemsOf({ DATABASE_URL }), [
        'DATABASE_URL has a ? in the path of the SQLite file: remove the parameters behind the path.',
      ])
  })

  test('readConfig refuses two slashes after sqlite, and accepts one and three', () => {
    for (const path of ['//data/accounts.db', '//./data/accounts.db'])
      assert.match(
        problemsOf({ DATABASE_URL: `sqlite:${path}` }).join(),
        /^DATABASE_URL has two slashes after "sqlite:"\./,
      )
    for (const path of ['/data/accounts.db', '///data/accounts.db'])
      assert.deepEqual(readConfig({ SECRET, DATABASE_URL: `sqlite:${path}` }).database, {
        engine: 'sqlite',
        path: '/data/accounts.db',
      })
  })

  test('readConfig refuses a folder and a device as the SQLite file', (t) => {
    const folder = createTemporaryFolder(t)
    for (const path of ['', folder])
      assert.match(problemsOf({ DATABASE_URL: `sqlite:${path}` }).join(), /^DATABASE_URL names the folder /)
    assert.match(
      problemsOf({ DATABASE_URL: 'sqlite:/dev/null' }).join(),
      /^DATABASE_URL names \/dev\/null, which is no /,
    )
  })

  test('readConfig refuses the same port for the service and its metrics', () => {
    assert.match(problemsOf({ PORT: '4000', METRICS_PORT: '4000' }).join(), /^METRICS_PORT is 4000, and so is PORT/)
    assert.deepEqual(problemsOf({ PORT: '0', METRICS_PORT: '0' }), [])
  })

  test('readConfig never repeats the value of a URL, which may contain a password', () => {
    const problems = problemsOf({
      DATABASE_URL: 'mysql://root:hunter2@localhost',
      SMTP_URL: 'http://user:hunter2@host',
    })
    assert.equal(problems.length, 2)
    assert.ok(!problems.join().includes('hunter2'))
  })

  test('readConfig reports a malformed SMTP_URL once, also where one is needed', () => {
    for (const environment of [{ BASE_URL: 'https://accounts.example.com' }, { HOST: '0.0.0.0' }]) {
      const [problem = '', ...more] = problemsOf({ ...environment, SMTP_URL: 'mail.example.com:587' })
      assert.match(problem, /^SMTP_URL is not an address/)
      assert.deepEqual(more, [])
    }
  })

  test('readConfig reports a malformed BASE_URL without problems of settings that fit the right one', () => {
    const fitting = { RP_ID: 'example.com', HOST: '0.0.0.0', WORKERS: '2' }
    const [first = '', second = '', ...more] = problemsOf({ ...fitting, BASE_URL: 'accounts.example.com' })
    assert.match(first, /^BASE_URL has "accounts.example.com": write an origin/)
    assert.match(second, /^WORKERS is over 1 with SQLite/)
    assert.deepEqual(more, [])
  })

  test('readConfig reports a misspelt setting without problems of the settings that fit it', () => {
    for (const environment of [
      { BASE_URLS: 'https://accounts.example.com', RP_ID: 'example.com', HOST: '0.0.0.0' },
      { DATABASE_URLS: 'postgres://localhost/accounts', WORKERS: '2' },
      { SMTP_URLS: 'smtp://mail.example.com', BASE_URL: 'https://accounts.example.com' },
    ]) {
      const [problem = '', ...more] = problemsOf(environment)
      assert.match(problem, /^\w+S is no setting\. Did you mean /)
      assert.deepEqual(more, [])
    }
  })

  test('readConfig shows no password in an address that is set in the place of another setting', () => {
    const origins = ['BASE_URL', 'RETURN_TO_ORIGINS', 'TRUSTED_ORIGINS']
    const files = ['BRAND_MARK']
    const others = ['MAIL_FROM', 'HOST', 'RP_ID', 'PORT', 'LOG_LEVEL', 'BRAND_ACCENT']
    for (const [address, shown] of [
      ['smtp://ada:hunter2@mail.example:587', '…@mail\\.example:587'],
      ['ada:hunter2@mail.example:587', '…@mail\\.example:587'],
      ['postgres://db/accounts?user=ada&password=hunter2', 'postgres://db/accounts\\?…'],
      ['postgres://ada@db/accounts?password=hunter2', '…@db/accounts\\?…'],
      ['postgres://db/accounts?password=x@hunter2', '…'],
      ['postgres://ada:hunter2?x@db/accounts', '…'],
    ] as const)
      for (const name of [...origins, ...files, ...others]) {
        const [problem = '', ...more] = problemsOf({ [name]: address })
        assert.deepEqual(more, [], name)
        assert.match(problem, new RegExp(`^${name} \\w+ "?${shown}"?[:,]`))
        assert.doesNotMatch(problem, /hunter2/, name)
      }
  })

  test('readConfig says how to write special characters of the password in SMTP_URL, and shows none of it', () => {
    for (const url of ['smtp://ada:1#hunter2@host', 'smtp://ada:hunter2/x@host', 'smtp://ada:x@host:99999']) {
      const [problem = '', ...more] = problemsOf({ SMTP_URL: url })
      assert.deepEqual(more, [])
      assert.match(problem, /^SMTP_URL .+percent-encoding \(# is %23, .+a port up to 65535\.$/)
      assert.doesNotMatch(problem, /hunter2/)
    }
  })

  test('readConfig accepts upper case in the host of an origin', () => {
    const environment = { SECRET, SMTP_URL: 'smtp://mail.example.com', TRUSTED_ORIGINS: 'https://APP.example.com' }
    const config = readConfig({ ...environment, BASE_URL: 'HTTPS://Accounts.Example.COM/' })
    assert.equal(config.baseUrl, 'https://accounts.example.com')
    assert.deepEqual(config.trustedOrigins, ['https://app.example.com'])
    assert.match(problemsOf({ BASE_URL: 'https://EXAMPLE.com/Path' }).join(), /without a path/)
  })

  test('readConfig refuses parameters of SMTP_URL that could switch off encryption', () => {
    const [problem, ...more] = problemsOf({ SMTP_URL: 'smtp://relay:hunter2@mail.example.com?ignoreTLS=true' })
    assert.deepEqual(more, [])
    assert.match(
      problem ?? '',
      /^SMTP_URL has something after the host and port: only \?tls=optional may follow\. Write it as /,
    )
  })

  test('readConfig accepts the host of BASE_URL or a parent domain as RP_ID, and no other domain', () => {
    const base = { BASE_URL: 'https://accounts.example.com', SMTP_URL: 'smtp://mail.example.com' }
    const idOf = (environment: Record<string, string>) => readConfig({ SECRET, ...environment }).relyingPartyId
    assert.equal(idOf(base), 'accounts.example.com')
    assert.equal(idOf({ ...base, RP_ID: 'accounts.example.com' }), 'accounts.example.com')
    assert.equal(idOf({ ...base, RP_ID: 'example.com' }), 'example.com')
    for (const RP_ID of [
      'example.org',
      'counts.example.com',
      'com',
      '.com',
      'www.accounts.example.com',
      'https://example.com',
    ]) {
      const [problem = '', ...more] = problemsOf({ ...base, RP_ID })
      assert.deepEqual(more, [])
      assert.match(problem, /RP_ID is ".+", but passkeys made at .+ can only be for accounts\.example\.com or a parent/)
    }
    assert.equal(problemsOf({ BASE_URL: 'http://127.0.0.1:3000', RP_ID: '0.0.1' }).length, 1)
  })

  test('readConfig removes the trailing slash of origins', () => {
    const config = readConfig({ SECRET, RETURN_TO_ORIGINS: 'https://a.example/, https://b.example:8443' })
    assert.deepEqual(config.returnToOrigins, ['https://a.example', 'https://b.example:8443'])
  })

  test('readConfig refuses http origins in both lists with an https BASE_URL', () => {
    const problems = problemsOf({
      BASE_URL: 'https://accounts.example',
      SMTP_URL: 'smtp://127.0.0.1:1',
      RETURN_TO_ORIGINS: 'https://a.example, http://b.example',
      TRUSTED_ORIGINS: 'http://localhost:4000, null, *, https://*.example, ftp://c.example',
    })
    assert.deepEqual(problems, [
      'RETURN_TO_ORIGINS has http://b.example: beside an https BASE_URL it must be https, or its pages can be forged on the network.',
      'TRUSTED_ORIGINS has "null": write an origin such as https://accounts.example.com, without a path.',
      'TRUSTED_ORIGINS has "*": write an origin such as https://accounts.example.com, without a path.',
      'TRUSTED_ORIGINS has "https://*.example": write an origin such as https://accounts.example.com, without a path.',
      'TRUSTED_ORIGINS has "ftp://c.example": write an origin such as https://accounts.example.com, without a path.',
      'TRUSTED_ORIGINS has http://localhost:4000: beside an https BASE_URL it must be https, or its pages can be forged on the network.',
    ])
    const local = readConfig({
      SECRET,
      TRUSTED_ORIGINS: 'http://localhost:4000',
      RETURN_TO_ORIGINS: 'http://b.example',
    })
    assert.deepEqual(local.trustedOrigins, ['http://localhost:4000'])
    assert.deepEqual(local.returnToOrigins, ['http://b.example'])
  })
})
