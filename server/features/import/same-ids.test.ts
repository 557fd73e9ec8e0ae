import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Kysely, sql, type Transaction } from 'kysely'
import { type BetterAuth, startBetterAuth } from '../../../test/support/better-auth.ts'
import { makeScene, post, type SourceUser, signUpAtSource } from '../../../test/support/better-auth-scene.ts'
import { randomLetters } from '../../../test/support/random-letters.ts'
import { onEachDatabase, type Service } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { findUser } from '../../core/users/find-user.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { findApiKey } from '../organizations/api-keys/store.ts'
import { importFromBetterAuth } from './import-from-better-auth.ts'
import { openSource } from './open-source.ts'
import type { ImportReport } from './report.ts'

async function importAll({ context }: Pick<Service, 'context'>, { url }: BetterAuth): Promise<ImportReport> {
  const opened = await openSource(url)
  return importFromBetterAuth(context, opened, () => {}, []).finally(opened.close)
}

function problemsOf({ findings }: ImportReport, kind: string, id: string): string[] {
  return findings.filter((finding) => finding.kind === kind && finding.id === id).map(({ problem }) => problem)
}

async function createOrganization({ client }: SourceUser): Promise<{ id: string; slug: string }> {
  const { id, slug } = await post(client, '/organization/create', { name: 'Works', slug: `works-${randomLetters()}` })
  return { id: id as string, slug: slug as string }
}

onEachDatabase('import of equal ids', (service, engine) => {
  const openBetterAuth = async (t: TestContext, hasNumericIds = false) => {
    const source = await startBetterAuth({ engine, baseUrl: service().baseUrl, hasNumericIds })
    t.after(() => source.stop())
    return source
  }

  test('The API key of a user does not become one of the organization with the same number', async (t) => {
    const source = await openBetterAuth(t, true)
    const users = [await signUpAtSource(source), await signUpAtSource(source), await signUpAtSource(source)] as const
    const [owner, deleted, refused] = users
    await source.run(`update "user" set role = 'admin' where id = ?`, owner.id)
    const organizations = [
      await createOrganization(owner),
      await createOrganization(owner),
      await createOrganization(owner),
    ]
    assert.deepEqual(
      organizations.map(({ id }) => String(id)),
      users.map(({ id }) => String(id)),
    )
    const keys = await Promise.all(
      [deleted, refused].map(({ client }) => post(client, '/api-key/create', { configId: 'users' })),
    )
    await post(owner.client, '/admin/remove-user', { userId: deleted.id })
    await source.run(`update "user" set email = 'no address' where id = ?`, refused.id)

    const report = await importAll(service(), source)
    assert.deepEqual([report.counts.organizations, report.counts['API keys']], [3, 0])
    for (const [index, { id, key }] of keys.entries()) {
      const headers = { 'x-api-key': key as string }
      const answer = await service()
        .client()
        .get(`/api/token?org=${organizations[index + 1]?.slug}`, { headers })
      assert.equal(answer.body.code, 'INVALID_API_KEY')
      assert.deepEqual(problemsOf(report, 'API key', String(id)), [
        'it may belong to a user with the number of the organization: create an API key here',
      ])
    }
  })

  test('An API key with the id of a user from another source is not imported', async (t) => {
    const [first, second] = [await openBetterAuth(t), await openBetterAuth(t)]
    const user = await signUpAtSource(first)
    const owner = await signUpAtSource(second)
    const { id: organizationId } = await createOrganization(owner)
    await post(owner.client, '/api-key/create', { configId: 'organizations', organizationId })
    await second.run('update apikey set id = ?', user.id)

    await importAll(service(), first)
    const report = await importAll(service(), second)
    assert.deepEqual(problemsOf(report, 'API key', user.id), ['a user here has the same id'])
    assert.equal(await findApiKey(service().context.database, user.id), undefined)
    assert.ok(await findUser(service().context.database, user.id))
  })

  test('An API key with the id of a user who is not imported is refused', async (t) => {
    const source = await openBetterAuth(t)
    const [owner, refused] = [await signUpAtSource(source), await signUpAtSource(source)]
    const { id: organizationId } = await createOrganization(owner)
    await post(owner.client, '/api-key/create', { configId: 'organizations', organizationId })
    await source.run('update apikey set id = ?', refused.id)
    await source.run(`update "user" set email = 'no address' where id = ?`, refused.id)
    const report = await importAll(service(), source)
    assert.deepEqual(problemsOf(report, 'API key', refused.id), ['a user has the same id'])
    assert.equal(await findApiKey(service().context.database, refused.id), undefined)
  })

  test('A user with the id of an API key from another source is not imported', async (t) => {
    const [first, second] = [await openBetterAuth(t), await openBetterAuth(t)]
    const owner = await signUpAtSource(first)
    const { id: organizationId } = await createOrganization(owner)
    const { id } = await post(owner.client, '/api-key/create', { configId: 'organizations', organizationId })
    const { id: otherId } = await signUpAtSource(second)
    await insertUserBeside(second, otherId, id as string)

    await importAll(service(), first)
    const report = await importAll(service(), second)
    assert.deepEqual(problemsOf(report, 'user', id as string), ['an API key here has the same id'])
    assert.equal(await findUser(service().context.database, id as string), undefined)
    assert.ok(await findUser(service().context.database, otherId))
  })

  test('A second import lists each passkey, invitation and API key that the first one left out', async (t) => {
    const [other, source] = [await openBetterAuth(t), await openBetterAuth(t)]
    const scene = await makeScene(other, service().baseUrl)
    const { owner, organization, invitationId } = await makeScene(source, service().baseUrl)
    const [passkey] = await other.run('select "credentialID" from passkey')
    await source.run('update passkey set "credentialID" = ?', passkey?.credentialID as string)
    await source.run('update invitation set id = ? where id = ?', scene.invitationId, invitationId)
    const ofOrganization = 'where "referenceId" = ?'
    const [key] = await other.run(`select id from apikey ${ofOrganization}`, scene.organization.id)
    await source.run(`update apikey set id = ? ${ofOrganization}`, key?.id as string, organization.id)

    await importAll(service(), other)
    for (const run of ['first', 'second']) {
      const report = await importAll(service(), source)
      const list = (kind: string, id: string) => problemsOf(report, kind, id).filter((text) => /is here/.test(text))
      assert.deepEqual(list('passkey', `of user ${owner.id}`), ['the passkey is here already'], run)
      assert.deepEqual(list('invitation', scene.invitationId), ['an invitation with this id is here already'], run)
      assert.deepEqual(list('API key', key?.id as string), ['the API key is here already'], run)
    }
    assert.deepEqual(
      (await importAll(service(), other)).findings.filter(({ problem }) => /is here already/.test(problem)),
      [],
      'the first source lacks nothing',
    )
  })

  test('A user with the id of an API key that a concurrent import writes is not imported', async (t) => {
    const [first, second] = [await openBetterAuth(t), await openBetterAuth(t)]
    const owner = await signUpAtSource(first)
    const { id: organizationId } = await createOrganization(owner)
    const { id } = await post(owner.client, '/api-key/create', { configId: 'organizations', organizationId })
    await insertUserBeside(second, (await signUpAtSource(second)).id, id as string)

    const written = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    t.after(() => goOn.resolve())
    const { context } = service()
    const importing = importAll(
      waitingBeforeCommit(service(), async (transaction) => {
        if (!(await findApiKey(transaction, id as string))) return
        written.resolve()
        await goOn.promise
      }),
      first,
    )
    await written.promise
    const concurrent = importAll(service(), second)
    if (engine === 'postgres') await until(() => hasAdvisoryWait(context.database), 'the second import waits')
    goOn.resolve()
    await importing
    assert.deepEqual(problemsOf(await concurrent, 'user', id as string), ['an API key here has the same id'])
    assert.equal(await findUser(context.database, id as string), undefined)
  })
})

/** Inserts a user with a given id, like another one. */
async function insertUserBeside(source: BetterAuth, otherId: string, id: string): Promise<void> {
  await source.run(
    `insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
      select ?, name, 'x' || email, "emailVerified", "createdAt", "updatedAt" from "user" where id = ?`,
    id,
    otherId,
  )
}

/** The service, with a step at the end of each transaction of an import. */
function waitingBeforeCommit(
  { context }: Service,
  step: (transaction: Kysely<Tables>) => Promise<void>,
): Pick<Service, 'context'> {
  const execute = <T>(work: (transaction: Transaction<Tables>) => Promise<T>) =>
    context.database.transaction().execute(async (transaction) => {
      const result = await work(transaction)
      await step(transaction)
      return result
    })
  return { context: { ...context, database: { transaction: () => ({ execute }) } as never } }
}

async function hasAdvisoryWait(database: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`.execute(database)
  return rows.length > 0
}
