import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { assertNoCircle, listImports } from '../support/imports.ts'

/** Imports point down. Files outside of these folders (main.mjs, app.ts, commands/) put the service together. */
const FLOORS = ['server/platform', 'server/core', 'server/features']

/** Features that use another feature, with the reason. Every other arrow between features fails. */
const ALLOWED: Record<string, string> = {
  'account/deletion → account/email': 'a deletion ends the links that undo a change of the email address',
  'account/deletion → organizations/organizations': 'organizations without another member are deleted with the user',
  'account/passwords → account/email': 'a reset recovers the account, as a verified email address does',
  'account/setup → account/email':
    'an administrator of the command line owns the mailbox, as with a verified email address',
  'copies → openid/adapters': 'a restore ends the codes and tokens of apps',
  'copies → organizations/api-keys': 'a restore disables API keys until they are confirmed',
  'copies → secret-rotation': 'a restore needs the SECRET of the backup',
  'copies → tokens': 'a restore replaces the signing keys',
  'import → account/passkeys': 'an imported passkey has a key that sign-in accepts',
  'import → organizations/api-keys': 'an imported organization brings its API keys',
  'import → organizations/organizations': 'an imported organization has metadata by the same rules',
  'oauth-clients → organizations/organizations': 'the named or active organization owns a new client',
  'openid/adapters → openid/grants': 'codes and tokens are valid as long as their grant',
  'openid/adapters → openid/common': 'the library calls adapters without the request, whose state is there',
  'openid/device-flow → openid/adapters': 'a user approves the device code of a device',
  'openid/device-flow → openid/grants': 'an approved device gets a grant',
  'openid/device-flow → openid/interactions': 'the page of a device describes the client as the other pages do',
  'openid/device-flow → openid/common': 'an approval stores acr and auth_time as other sign-ins do',
  'openid/grants → openid/common': 'a request reads each grant once',
  'openid/interactions → openid/provider': 'the provider stores what a page asks and what the user answers',
  'openid/interactions → openid/common': 'pages go back to the endpoints of the provider',
  'openid/log-outs → tokens': 'logout tokens are signed with the signing keys',
  'openid/provider → openid/adapters': 'the provider stores its codes and tokens there',
  'openid/provider → openid/grants': 'the provider gives out grants',
  'openid/provider → openid/common': 'the provider is configured with endpoints, scopes and claims',
  'openid/provider → pages': 'errors that must not reach a client, and the log-out page, are pages without script',
  'openid/provider → tokens': 'access tokens have the audience of the other tokens',
  'openid/common → tokens': 'access tokens are signed with the signing keys',
  'openid → pages': 'its routes get the pages without script',
  'openid → tokens': 'its routes get the signing keys',
  'organizations/members → organizations/api-keys': 'a member who leaves may have copied API keys',
  'organizations/organizations → organizations/api-keys': 'a request may name its organization by an API key',
  'organizations/organizations → organizations/invitations': 'get-full-organization lists invitations',
  'organizations/organizations → organizations/members': 'get-full-organization lists members',
  'secret-rotation → tokens': 'signing keys are encrypted under SECRET',
  'staff/apps → account/apps': 'staff see the apps of a user as the user does',
  'staff/organizations → organizations/api-keys': 'staff count the API keys of an organization',
  'staff/organizations → organizations/invitations': 'staff see invitations as owners do, and invite the first owner',
  'staff/organizations → organizations/members': 'staff see members as owners do',
  'staff/organizations → organizations/organizations': 'staff see organizations as owners do',
  'staff/users → account/deletion': 'staff delete a user by the same steps as the user',
  'staff/users → organizations/api-keys': 'a deleted user may have copied API keys',
}

/** Files of core/ that one feature uses, with the reason. Every other such file belongs in the folder of its user. */
const OF_ONE_FEATURE: Record<string, string> = {
  'audit/renew-macs.ts': 'MACs of the audit log are made and checked in one folder',
  'audit/verify-newest.ts': 'the chain is verified in one folder',
  'sessions/impersonated-session.ts': 'sessions start and end in one folder',
  'two-step/reencrypt-secrets.ts': 'the folder of a table encrypts its rows again, as mail/ and tokens/ do',
}

const arrows = listImports('server/**/*.ts').filter(({ to }) => to.startsWith('server/'))

/** Composition is above all floors. */
function floorOf(file: string): number {
  const floor = FLOORS.findIndex((folder) => file.startsWith(`${folder}/`))
  return floor === -1 ? FLOORS.length : floor
}

function folderOf(file: string): string {
  return floorOf(file) === FLOORS.length ? 'composition' : dirname(file)
}

test('Every import in server/ points down, or is an allowed arrow between features', () => {
  const upward = arrows.filter(({ from, to }) => floorOf(from) < floorOf(to))
  assert.deepEqual(upward, [])
  // The routes.ts of a folder such as features/account registers the routes of the folders in it.
  const between = arrows.filter(
    ({ from, to }) => floorOf(from) === 2 && floorOf(to) === 2 && !`${dirname(to)}/`.startsWith(`${dirname(from)}/`),
  )
  const names = between.map(({ from, to }) => `${dirname(from)} → ${dirname(to)}`.replaceAll('server/features/', ''))
  assert.deepEqual([...new Set(names)].sort(), Object.keys(ALLOWED).sort())
})

test('No folder of server/ imports itself by way of others', () => {
  assertNoCircle(arrows, folderOf)
})

test('Each file of core/ is used by core/ itself, by two features, or by a file that puts the service together', () => {
  const used = arrows.filter(({ to }) => to.startsWith('server/core/'))
  const byFile = Map.groupBy(used, ({ to }) => to)
  const ofOneFeature = [...byFile].filter(([, uses]) => {
    const folders = new Set(uses.map(({ from }) => dirname(from)))
    return folders.size === 1 && uses.every(({ from }) => floorOf(from) === 2)
  })
  const names = ofOneFeature.map(([file]) => file.replace('server/core/', ''))
  assert.ok(byFile.size > 100)
  assert.deepEqual(names.sort(), Object.keys(OF_ONE_FEATURE).sort())
})

test('Each table is written by one folder, except in migrations', () => {
  const files = globSync('server/**/*.ts').filter((file) => !/\.test\.ts$|\/migrations\//.test(file))
  const writes = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const calls = text.matchAll(/(?:insertInto\(|updateTable\(|deleteFrom\(|deleteSome\(database, )'(\w+)'/g)
    const statements = text.matchAll(/[`'\n] *(?:insert into|update|delete from) "?(\w+)/g)
    return [...calls, ...statements].map(([, table]) => `${table} ← ${dirname(file)}`)
  })
  const tables = [...new Set(writes)].map((write) => write.split(' ← ')[0])
  assert.ok(tables.length > 15)
  assert.deepEqual(
    tables.filter((table, index) => tables.indexOf(table) !== index),
    [],
    [...new Set(writes)].sort().join('\n'),
  )
})
