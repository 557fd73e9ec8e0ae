import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { WORKER_WAITS } from '../../server/commands/workers.ts'
import { listOrganizationPermissions, ORGANIZATION_ROLES } from '../../server/core/access/organization-permissions.ts'
import { ASSERTION_ALGORITHMS, SIGNING_ALGORITHMS } from '../../server/core/oauth-clients/metadata.ts'
import { PROPERTY_NAME_LENGTH_MAXIMUM } from '../../server/core/users/custom-properties.ts'
import { VerifyCodeBody, VerifyRecoveryCodeBody } from '../../server/features/account/two-step/schemas.ts'
import { SECRET_BYTES } from '../../server/features/account/two-step/totp.ts'
import { LOCK_MILLISECONDS } from '../../server/features/import/open-sqlite-source.ts'
import { EXPIRING_MAXIMUM } from '../../server/features/organizations/api-keys/store.ts'
import { LIMIT_DEFAULT } from '../../server/features/staff/audit/routes.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { ARGON2_PARAMETERS } from '../../server/platform/crypto/passwords.ts'
import { ASK_MILLISECONDS } from '../../server/platform/database/postgres-host-client.ts'
import { CONNECT_MILLISECONDS, WATCH_MILLISECONDS } from '../../server/platform/database/postgres-hosts.ts'
import { COOKIE_NAMES } from '../../server/platform/http/cookies.ts'
import { ERRORS } from '../../server/platform/http/errors.ts'
import type { HttpApp } from '../../server/platform/http/http-app.ts'
import { measureRequests } from '../../server/platform/http/metrics.ts'
import { createTotals, LABELS_MAXIMUM } from '../../server/platform/totals.ts'
import { SECRET } from '../support/config-problems.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const DOCUMENTS = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).map((file) => ({ file, text: read(file) }))

/** Each match in a document as `file: match`, if it is wrong. */
function listWrong(pattern: RegExp, isWrong: (groups: string[], file: string) => boolean): string[] {
  const found = DOCUMENTS.flatMap(({ file, text }) => [...text.matchAll(pattern)].map((match) => ({ file, match })))
  assert.ok(found.length > 0, 'the documents have such claims')
  return found
    .filter(({ file, match }) => isWrong(match.slice(1), file))
    .map(({ file, match }) => `${file}: ${match[0]}`)
}

/** The fragment that GitHub gives to a heading. */
function toFragment(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

function hasHeading(file: string, fragment: string): boolean {
  return [...read(file).matchAll(/^#+ (.*)$/gm)].some(([, heading = '']) => toFragment(heading) === fragment)
}

function assertClaim(file: string, claim: string): void {
  assert.ok(read(file).replaceAll(/\s+/g, ' ').includes(claim), claim)
}

test('Every link between documents leads to a file and to a heading', () => {
  const isBroken = ([target = '']: string[], file: string) => {
    if (/^(?:https?|mailto):/.test(target)) return false
    const [path, fragment] = target.split('#')
    const place = path ? relative(ROOT, join(ROOT, dirname(file), path)) : file
    return !existsSync(join(ROOT, place)) || (fragment !== undefined && !hasHeading(place, fragment))
  }
  assert.deepEqual(listWrong(/\]\(([^)\s]+)\)/g, isBroken), [])
})

test('Every file of the project that a document names exists', () => {
  const folders = ['', 'server', 'server/core', 'server/platform', 'server/features']
  const isMissing = ([path = '']: string[]) => !folders.some((folder) => existsSync(join(ROOT, folder, path)))
  const names =
    /(?<!\/)`((?:server|web|test|docs|scripts|bench|examples|platform|core|features|http|access)\/[\w./-]+)`/g
  assert.deepEqual(listWrong(names, isMissing), [])
  assert.deepEqual(listWrong(/npm (?:test|run test:long --) ((?:server|test)\/[\w./-]+)/g, isMissing), [])
})

test('Every npm script and every command that a document names exists', () => {
  const { scripts } = JSON.parse(read('package.json'))
  assert.deepEqual(
    listWrong(/npm run (?!-)([\w:]+)/g, ([name = '']) => !(name in scripts)),
    [],
  )
  const [, commands = ''] = /const COMMANDS.*?= \{\n(.*?)\n\}/s.exec(read('server/commands/run.ts')) ?? []
  assert.deepEqual(
    listWrong(/npm run accounts -- (?!help)([a-z]+)/g, ([name]) => !commands.includes(`  ${name}: async`)),
    [],
  )
})

test('Every status that stands beside an error code in a document is the status of the code', () => {
  const isOther = ([status, code = '']: string[]) => ERRORS[code as keyof typeof ERRORS]?.[0] !== Number(status)
  assert.deepEqual(listWrong(/\b([45]\d\d) [|(]?\s*`([A-Z_]{6,})`/g, isOther), [])
  assert.deepEqual(
    listWrong(/`([A-Z_]{6,})` +\| ([45]\d\d) /g, ([code = '', status = '']) => isOther([status, code])),
    [],
  )
})

test('The roles in docs/organizations.md are those of the service', () => {
  const rows = [...read('docs/organizations.md').matchAll(/^\| `([\w-]+)`: ([\w, -]+?)(?: \(and list\))? +\|(.*)\|$/gm)]
  const documented = rows.flatMap(([, resource, actions = '', cells = '']) =>
    actions
      .split(', ')
      .map((action) => [`${resource}.${action}`, cells.split('|').map((cell) => cell.trim() === 'yes')]),
  )
  const granted = listOrganizationPermissions('owner').map((permission) => [
    permission,
    ORGANIZATION_ROLES.map((role) => listOrganizationPermissions(role).includes(permission)),
  ])
  assert.deepEqual(documented.toSorted(), granted.toSorted())
})

test('The cookies in SECURITY.md are those of the service', () => {
  const rows = [...read('SECURITY.md').matchAll(/^\| `([\w-]+)` +\|/gm)].map(([, name]) => name)
  assert.deepEqual(rows.toSorted(), [...COOKIE_NAMES, 'openid-resume', 'openid-session'].toSorted())
})

test('The defaults in docs/operations.md are those of the service', () => {
  const config = readConfig({ SECRET })
  const { limits } = config
  const defaults = {
    PASSWORD_MIN_LENGTH: config.passwordMinLength,
    REQUIRE_TWO_FACTOR: config.requireTwoFactor,
    ORGANIZATION_CREATION: config.organizationCreation,
    ALLOW_CLIENT_REGISTRATION: config.allowClientRegistration,
    ORGANIZATION_INVITATIONS_PER_DAY: config.organizationInvitationsPerDay,
    ORGANIZATIONS_PER_USER: config.organizationsPerUser,
    SESSIONS_PER_USER: config.sessionsPerUser,
    JWT_KEY_BITS: config.jwtKeyBits,
    NETWORK_GUESSES_PER_5_MINUTES: limits.networkGuesses,
    ACCOUNT_GUESSES_PER_15_MINUTES: limits.accountGuesses,
    NETWORK_EMAIL_REQUESTS_PER_5_MINUTES: limits.networkEmails,
    USER_CHANGES_PER_MINUTE: limits.userChanges,
    NETWORK_CHANGES_PER_MINUTE: limits.networkChanges,
    NETWORK_REGISTRATIONS_PER_HOUR: limits.networkRegistrations,
    LOG_LEVEL: config.logLevel,
    WORKERS: config.workerCount,
    TRUST_PROXY: config.trustedProxyCount,
    BRAND_NAME: config.brand.name,
    BRAND_ACCENT: config.brand.accent,
  }
  const operations = read('docs/operations.md')
  for (const [name, value] of Object.entries(defaults))
    assert.match(operations, new RegExp(`^\\| \`${name}\` +\\| \`${value}\` +\\|`, 'm'))
})

test('The settings for production in docs/operations.md have no problem', () => {
  const [, settings = ''] = /^```sh \.env\n(.*?)^```$/ms.exec(read('docs/operations.md')) ?? []
  const { baseUrl, smtpUrl } = readConfig({ SECRET, ...parseEnv(settings) })
  assert.deepEqual([baseUrl, smtpUrl !== undefined], ['https://accounts.example.com', true])
})

test('The log has the lines that docs/operations.md says to look for', () => {
  const [, table = ''] = /## When something is wrong\n(.*?)\n\n[^|\n]/s.exec(read('docs/operations.md')) ?? []
  const lines = [...table.matchAll(/`(request failed|[a-z]+(?: [a-z,]+){2,})`/g)].map(([, line = '']) => line)
  assert.ok(lines.length >= 4, lines.join())
  const server = globSync('server/**/*.ts', { cwd: ROOT, exclude: (file) => file.endsWith('.test.ts') })
    .map(read)
    .join()
  for (const line of lines) assert.ok(server.includes(`'${line}`), line)
})

test('The cryptography in SECURITY.md is that of the code', () => {
  const { memoryCost, timeCost, parallelism } = ARGON2_PARAMETERS
  const [, table = ''] = /## Cryptography\n(.*?)\n## /s.exec(read('SECURITY.md')) ?? []
  for (const claim of [
    `argon2id, ${memoryCost / 1024} MiB, ${timeCost} passes, ${parallelism} lane`,
    `${SECRET_BYTES * 8}-bit key`,
    // EdDSA is the former name of Ed25519 (RFC 9864).
    ASSERTION_ALGORITHMS.filter((name) => name !== 'EdDSA').join(', '),
    ...SIGNING_ALGORITHMS,
  ])
    assert.ok(table.includes(claim), claim)
})

test('The numbers of refused passwords in docs/accounts.md are those of the lists', async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const [leaked, words] = [dictionary['passwords-common'], dictionary['diceware-common']].map(({ length }) =>
    length.toLocaleString('en'),
  )
  const claim = `${leaked} leaked passwords or ${words} dictionary words`
  assert.ok(read('docs/accounts.md').includes(claim), claim)
})

test('The metrics of the service are in docs/operations.md', () => {
  const operations = read('docs/operations.md')
  const registry = measureRequests({ addHook: () => {} } as unknown as HttpApp, createTotals(), [])
  const names = registry.getMetricsAsArray().map(({ name }) => name.replace(/^(process|nodejs)_.*/, '$1_*'))
  assert.deepEqual(
    names.filter((name) => !operations.includes(`\`${name}\``)),
    [],
  )
})

test('The bodies of codes in docs/two-step.md are those of the routes', () => {
  for (const [endpoint, body] of Object.entries({
    'verify-totp': VerifyCodeBody,
    'verify-backup-code': VerifyRecoveryCodeBody,
  })) {
    const [, cell = ''] = new RegExp(`^\\| \`${endpoint}\` +\\| (.*?) +\\|`, 'm').exec(read('docs/two-step.md')) ?? []
    const documented = [...cell.matchAll(/`(.*?)`/g)].map(([, name]) => name)
    const required: string[] = body.required
    const names = Object.keys(body.properties).map((name) => (required.includes(name) ? name : `${name}?`))
    assert.deepEqual(documented.toSorted(), names.toSorted())
  }
})

test('The limits of lists and names in the documents are those of the service', () => {
  for (const [file, claim] of [
    ['docs/audit.md', `\`limit\` is ${LIMIT_DEFAULT} by default`],
    ['docs/operations.md', `organizations beyond ${LABELS_MAXIMUM.toLocaleString('en')} count as`],
    ['docs/organizations.md', `at most ${EXPIRING_MAXIMUM} enabled API keys`],
    ['docs/staff.md', `A name is one line of 1 to ${PROPERTY_NAME_LENGTH_MAXIMUM} characters`],
  ] as const)
    assertClaim(file, claim)
})

test('The waits of a stop, a worker, an import and a failover in the documents are those of the service', () => {
  for (const [file, claim] of [
    ['docs/import.md', `locks the file for more than ${LOCK_MILLISECONDS / 1_000} seconds`],
    ['docs/operations.md', `All of it may take ${WORKER_WAITS.stopMilliseconds / 1_000} seconds.`],
    ['docs/operations.md', `after a pause that doubles from ${WORKER_WAITS.firstPauseMilliseconds} ms`],
    ['docs/high-availability.md', `All hosts are asked every ${WATCH_MILLISECONDS / 1_000} s, too.`],
    ['docs/high-availability.md', `asks all hosts at its start, every ${WATCH_MILLISECONDS / 1_000} s`],
    ['docs/high-availability.md', `A host has ${CONNECT_MILLISECONDS} ms to accept the connection`],
    ['docs/high-availability.md', `and ${ASK_MILLISECONDS} ms for each response`],
  ] as const)
    assertClaim(file, claim)
})
