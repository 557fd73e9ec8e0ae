import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBetterAuth } from '../../../test/support/better-auth.ts'
import { post, type SourceUser, signUpAtSource } from '../../../test/support/better-auth-scene.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administrator } from '../../../test/support/users.ts'
import { findUser } from '../../core/users/find-user.ts'
import { importFromBetterAuth } from './import-from-better-auth.ts'
import { openSource } from './open-source.ts'

const TIMES = {
  sqlite: { early: -62_135_596_800_000, unreadable: 1.7e18 },
  postgres: { early: '0001-01-01', unreadable: '0044-03-15 BC' },
}
const CREATION = "the time of creation can't be read: that of the import replaces it"

onEachDatabase('import of times', (service, engine) => {
  test("A time that can't be read is listed, and breaks neither the list of users nor a second import", async (t) => {
    const { context, baseUrl } = service()
    const { early, unreadable } = TIMES[engine]
    const source = await startBetterAuth({ engine, baseUrl })
    t.after(() => source.stop())
    const users = [await signUpAtSource(source), await signUpAtSource(source), await signUpAtSource(source)] as const
    const [first, odd, banned] = users
    const organization = await post(first.client, '/organization/create', { name: 'Works', slug: 'works' })
    const invitation = { email: 'ina@example.com', role: 'member', organizationId: organization.id }
    const { id: invitationId } = await post(first.client, '/organization/invite-member', invitation)
    const isBanned = engine === 'sqlite' ? '1' : 'true'
    await source.run(`update "user" set "createdAt" = ? where id = ?`, early, first.id)
    await source.run(`update "user" set "createdAt" = ?, "updatedAt" = ? where id = ?`, unreadable, unreadable, odd.id)
    await source.run(`update "user" set banned = ${isBanned}, "banExpires" = ? where id = ?`, unreadable, banned.id)
    await source.run('update organization set "createdAt" = ?', unreadable)
    await source.run('update member set "createdAt" = ?', unreadable)
    await source.run('update invitation set "expiresAt" = ?', unreadable)

    const importAll = async () => {
      const opened = await openSource(source.url)
      return importFromBetterAuth(context, opened, () => {}, []).finally(opened.close)
    }
    const { findings, counts } = await importAll()
    const problems = findings.filter(({ kind }) => kind !== 'table').map(({ id, problem }) => [id, problem])
    assert.deepEqual(
      problems.toSorted(),
      [
        [banned.id, "the end of the ban can't be read: the user stays banned"],
        [odd.id, CREATION],
        [invitationId, "its expiry can't be read"],
        [organization.id, CREATION],
      ].toSorted(),
    )
    assert.deepEqual([counts.users, counts.organizations, counts.invitations], [3, 1, 0])
    const find = ({ id }: SourceUser) => findUser(context.database, id)
    assert.equal((await find(first))?.createdAt, Date.parse('0001-01-01T00:00:00Z'))
    assert.ok(Math.abs(((await find(odd))?.createdAt ?? 0) - context.now()) < 600_000)
    const { banned: stays, banExpires } = (await find(banned)) ?? {}
    assert.deepEqual([stays, banExpires], [1, null])

    const { client } = await administrator(service())
    const { status, body } = await client.get('/api/auth/admin/list-users?limit=100')
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal((await importAll()).counts['users that are here already'], 3)
  })
})
