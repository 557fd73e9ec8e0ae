import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { createInstallation } from '../../../test/support/copies.ts'
import {
  addRemainingCredentials,
  assertEveryColumnIsListed,
  ENDED_BY_RESTORE,
  listOpenCredentials,
} from '../../../test/support/credential-columns.ts'
import { assertAuditLogWhole, populate, tryCredentials } from '../../../test/support/populated.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { administratorWithOrganization, signedIn } from '../../../test/support/users.ts'
import { backupCommand } from '../../commands/backup.ts'
import { restoreCommand } from '../../commands/restore.ts'
import { FORMER_DEVICE_TIME } from '../../core/devices/store.ts'
import { MINUTE_MILLISECONDS } from '../../platform/time/time-units.ts'

test('A restore from PostgreSQL to SQLite brings nothing back that was revoked after the backup', async (t) => {
  const folder = createTemporaryFolder(t)
  const file = join(folder, 'backup.db')
  const installation = await createInstallation(t)
  const [source, target] = [await installation.createDatabase('postgres'), await installation.createDatabase('sqlite')]
  let service = await installation.start(source)
  const population = await populate(service)
  await addRemainingCredentials(service, population)
  assert.deepEqual(await listOpenCredentials(service.context.database), Object.keys(ENDED_BY_RESTORE))
  const { boss, apiKey, app, passkeyUser } = population
  const slug = boss.organization.slug
  const { token } = (await boss.client.get(`/api/token?org=${slug}`)).body
  const another = { name: 'Door', organizationId: boss.organization.id }
  const { id: keyId } = (await boss.client.post('/api/auth/api-key/create', another)).body
  assert.match(await installation.run(source, backupCommand, '--to', file), /complete and verified/)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  await service.stop()

  const restored = await installation.run(target, restoreCommand, file)
  assert.match(restored, /API keys: 2, OAuth clients: 1; they are disabled until you confirm them/)
  const unused = installation.open(target)
  await assertEveryColumnIsListed(unused.context.database)
  assert.deepEqual(await listOpenCredentials(unused.context.database), [])
  const devices = await unused.context.database.selectFrom('knownDevices').select('createdAt').execute()
  assert.ok(devices.length > 0)
  assert.ok(
    devices.every(({ createdAt }) => createdAt === FORMER_DEVICE_TIME),
    'the next sign-in on each device sends the email about a new sign-in',
  )
  await unused.close()
  service = await installation.start(target, MINUTE_MILLISECONDS)
  const { database } = service.context
  const waiting = database.selectFrom('outbox').select('id').where('sentAt', 'is', null).where('failedAt', 'is', null)
  assert.deepEqual(await waiting.execute(), [])
  assert.deepEqual(await tryCredentials(service, population), {
    session: 'refused',
    impersonated: 'refused',
    passkey: passkeyUser.email,
    apiKey: 'KEY_DISABLED',
    totp: population.totpUser.email,
    refreshToken: 'invalid_client',
    invitation: 302,
  })
  const jwks = (await service.client().get('/api/auth/jwks')).body
  assert.equal(jwks.keys.length, 2, 'one new key of each algorithm')
  await assert.rejects(jwtVerify(token, createLocalJWKSet(jwks)), /no applicable key found/)
  await assertAuditLogWhole(service)

  await database.updateTable('oauthClients').set({ name: 'Grafana\u009b31m' }).where('id', '=', app.id).execute()
  const listed = await installation.run(target, restoreCommand, 'list')
  assert.match(listed, new RegExp(`${app.id}  OAuth client  Grafana 31m  of the service`), 'no control character')
  await assert.rejects(
    installation.run(target, restoreCommand, 'confirm', app.id, 'apk_unknown'),
    /apk_unknown waits for no confirmation/,
  )
  assert.match(await installation.run(target, restoreCommand, 'list'), /API key {2}Payroll {2}Example Works/)
  const { client } = await signedIn(service, boss.email)
  for (const enabled of [true, false])
    assert.equal((await client.post('/api/auth/api-key/update', { keyId, enabled })).status, 200)
  const confirmed = await installation.run(target, restoreCommand, 'confirm', '--all')
  assert.match(confirmed, /Enabled: 2/)
  assert.doesNotMatch(confirmed, /Door/, 'the owner has decided about this one')
  const headers = { 'x-api-key': apiKey }
  assert.equal((await service.client().get(`/api/token?org=${slug}`, { headers })).status, 200)
  assert.match(await installation.run(target, restoreCommand, 'list'), /Nothing waits/)
})

test('A backup of a restored database can be restored, with an API key that its owner has enabled since', async (t) => {
  const folder = createTemporaryFolder(t)
  const [first, second] = [join(folder, 'first.db'), join(folder, 'second.db')]
  const installation = await createInstallation(t)
  const source = await installation.createDatabase('sqlite')
  let service = await installation.start(source)
  const { client, email } = await administratorWithOrganization(service)
  const { id: keyId } = (await client.post('/api/auth/api-key/create', { name: 'Payroll' })).body
  await installation.run(source, backupCommand, '--to', first)
  await service.stop()

  const restored = await installation.createDatabase('sqlite')
  await installation.run(restored, restoreCommand, first)
  service = await installation.start(restored, MINUTE_MILLISECONDS)
  const { client: signedInAgain } = await signedIn(service, email)
  assert.equal((await signedInAgain.post('/api/auth/api-key/update', { keyId, enabled: true })).status, 200)
  await installation.run(restored, backupCommand, '--to', second)
  await service.stop()

  const restoredAgain = await installation.createDatabase('sqlite')
  assert.match(await installation.run(restoredAgain, restoreCommand, second), /API keys: 1/)
  assert.match(await installation.run(restoredAgain, restoreCommand, 'list'), new RegExp(`${keyId}  API key  Payroll`))
})
