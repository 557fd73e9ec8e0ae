import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInstallation } from '../../../test/support/copies.ts'
import { assertAuditLogWhole, populate, tryCredentials } from '../../../test/support/populated.ts'

const MINUTE_MILLISECONDS = 60_000

test('After a move from SQLite to PostgreSQL, and from there back, every credential works', async (t) => {
  const installation = await createInstallation(t)
  const databases = await Promise.all(
    (['sqlite', 'postgres', 'sqlite'] as const).map((engine) => installation.createDatabase(engine)),
  )
  let service = await installation.start(databases[0] ?? '')
  const population = await populate(service)
  await service.stop()
  for (const round of [1, 2]) {
    const [source = '', target = ''] = databases.slice(round - 1)
    const { code, output } = await installation.run(source, 'move', '--to', target)
    assert.equal(code, 0, output)
    assert.match(output, /every row is verified/)
    service = await installation.start(target, round * MINUTE_MILLISECONDS)
    const { boss, passkeyUser, totpUser } = population
    assert.deepEqual(await tryCredentials(service, population), {
      session: boss.email,
      impersonated: passkeyUser.email,
      passkey: passkeyUser.email,
      apiKey: 200,
      totp: totpUser.email,
      refreshToken: 200,
      invitation: 200,
    })
    const found = await boss.client.get(`/api/auth/admin/list-users?searchValue=${totpUser.email}&searchField=email`)
    assert.equal(found.body.total, 1, 'the search index has the users')
    await assertAuditLogWhole(service)
    const moved = await service.context.database
      .selectFrom('auditEvents')
      .select(['userAgent', 'details'])
      .where('action', '=', 'database.moved')
      .execute()
    assert.equal(moved.length, round)
    assert.equal(moved[0]?.userAgent, 'command line')
    await service.stop()
  }
})
