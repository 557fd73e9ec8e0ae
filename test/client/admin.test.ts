import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthClient } from 'better-auth/client'
import { adminClient } from 'better-auth/client/plugins'
import { DAY_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { bearerOptions } from '../support/official-client.ts'
import { onEachDatabase } from '../support/service.ts'
import { administrator, newEmail, PASSWORD } from '../support/users.ts'

/** Uses `admin.*` of the official client, unmodified, with a bearer token. */
onEachDatabase('Official admin client', (service) => {
  const clientOf = async (email: string, password = PASSWORD) => {
    const { held, options } = bearerOptions(service())
    const client = createAuthClient({ ...options, plugins: [adminClient()] })
    const { error } = await client.signIn.email({ email, password })
    assert.equal(error, null)
    return { client, held }
  }
  const asAdmin = async () => clientOf((await administrator(service())).email)
  const createUser = async (client: Awaited<ReturnType<typeof asAdmin>>['client'], name = 'Paula Parker') => {
    const email = newEmail()
    const { data, error } = await client.admin.createUser({
      email,
      name,
      password: PASSWORD,
      data: { emailVerified: true },
    })
    assert.equal(error, null)
    assert.equal(data?.user.email, email)
    return { id: data?.user.id ?? '', email }
  }

  test('The official client creates, reads, updates and removes users', async () => {
    const { client } = await asAdmin()
    const user = await createUser(client)
    const read = await client.admin.getUser({ query: { id: user.id } })
    assert.equal(JSON.stringify(read.data).includes(user.email), true)
    const changed = await client.admin.updateUser({ userId: user.id, data: { name: 'Nia New' } })
    assert.equal(changed.error, null)
    const refused = await client.admin.updateUser({ userId: user.id, data: { role: 'admin' } })
    assert.equal(refused.error?.status, 400)
    const promoted = await client.admin.setRole({ userId: user.id, role: 'admin' })
    assert.equal(promoted.data?.user.role, 'admin')
    assert.equal((await client.admin.setRole({ userId: user.id, role: 'user' })).data?.user.role, 'user')
    assert.equal(
      (await client.admin.setUserPassword({ userId: user.id, newPassword: 'another fine one' })).data?.status,
      true,
    )
    await clientOf(user.email, 'another fine one')
    assert.equal((await client.admin.removeUser({ userId: user.id })).data?.success, true)
    assert.equal((await client.admin.getUser({ query: { id: user.id } })).error?.status, 404)
  })

  test('The official client bans and unbans users', async () => {
    const { client } = await asAdmin()
    const user = await createUser(client)
    const banned = await client.admin.banUser({ userId: user.id, banReason: 'Spam', banExpiresIn: 3_600 })
    assert.equal(banned.data?.user.banned, true)
    assert.equal(banned.data?.user.banReason, 'Spam')
    assert.ok(banned.data?.user.banExpires instanceof Date)
    assert.equal((await client.admin.unbanUser({ userId: user.id })).data?.user.banned, false)
    const { data: session } = await client.getSession()
    const own = await client.admin.banUser({ userId: session?.user.id ?? '' })
    assert.equal(own.error?.code, 'YOU_CANNOT_BAN_YOURSELF')
  })

  test('The official client lists users by search, filter, order and page', async () => {
    const { client } = await asAdmin()
    const ids = []
    for (const name of ['Zora One', 'Zora Two', 'Zora Three']) ids.push((await createUser(client, name)).id)
    const found = await client.admin.listUsers({
      query: {
        searchField: 'name',
        searchOperator: 'starts_with',
        searchValue: 'zora',
        sortBy: 'name',
        sortDirection: 'desc',
        limit: 2,
        offset: 1,
      },
    })
    assert.deepEqual(
      found.data?.users.map(({ name }) => name),
      ['Zora Three', 'Zora One'],
    )
    assert.equal(found.data?.total, 3)
    const listed = await client.admin.listUsers({
      query: { filterField: 'id', filterOperator: 'in', filterValue: ids },
    })
    assert.equal(listed.data?.total, 3)
    const count = async (query: { filterField: string; filterOperator?: 'gt'; filterValue: boolean | number }) =>
      (await client.admin.listUsers({ query })).data?.total ?? Number.NaN
    const verified = { filterField: 'emailVerified' }
    assert.ok((await count({ ...verified, filterValue: true })) >= 3)
    assert.equal(await count({ ...verified, filterValue: false }), 0)
    const createdAfter = { filterField: 'createdAt', filterOperator: 'gt' as const }
    assert.ok((await count({ ...createdAfter, filterValue: 1_000 })) >= 4)
    assert.equal(await count({ ...createdAfter, filterValue: Date.now() + DAY_MILLISECONDS }), 0)
  })

  test('The official client lists and revokes sessions of a user', async () => {
    const { client } = await asAdmin()
    const user = await createUser(client)
    const { client: theirs } = await clientOf(user.email)
    await clientOf(user.email)
    const { data } = await client.admin.listUserSessions({ userId: user.id })
    assert.equal(data?.sessions.length, 2)
    const [handle] = data?.sessions.map(({ token }) => token) ?? []
    assert.equal((await client.admin.revokeUserSession({ sessionToken: handle ?? '' })).data?.success, true)
    assert.equal((await client.admin.listUserSessions({ userId: user.id })).data?.sessions.length, 1)
    assert.equal((await client.admin.revokeUserSessions({ userId: user.id })).data?.success, true)
    assert.equal((await theirs.getSession()).data, null)
  })

  test('The official client starts and stops an impersonation', async () => {
    const { client, held } = await asAdmin()
    const own = held.token
    const ownId = (await client.getSession()).data?.user.id
    const user = await createUser(client)
    const started = await client.admin.impersonateUser({ userId: user.id })
    assert.equal(started.data?.user.id, user.id)
    assert.notEqual(held.token, own)
    assert.equal((await client.getSession()).data?.user.id, user.id)
    assert.equal((await client.admin.stopImpersonating()).error, null)
    assert.equal(held.token, own)
    assert.ok(ownId)
    assert.equal((await client.getSession()).data?.user.id, ownId)
  })

  test('The official client calls has-permission for staff permissions', async () => {
    const { client } = await asAdmin()
    assert.equal((await client.admin.hasPermission({ permissions: { user: ['ban'] } })).data?.success, true)
    const { client: theirs } = await clientOf((await createUser(client)).email)
    assert.equal((await theirs.admin.hasPermission({ permissions: { user: ['ban'] } })).data?.success, false)
    const asked = { permissions: { user: ['ban' as const] } }
    assert.equal((await client.admin.hasPermission({ ...asked, role: 'user' })).data?.success, false)
    const user = await createUser(client)
    assert.equal((await client.admin.hasPermission({ ...asked, userId: user.id })).data?.success, false)
    assert.equal((await client.admin.setRole({ userId: user.id, role: ['user'] })).data?.user.id, user.id)
    assert.equal((await theirs.admin.listUsers({ query: {} })).error?.status, 403)
  })
})
