import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { insertOrganizations } from '../../../test/support/many-organizations.ts'
import { createTestApp } from '../../../test/support/openid.ts'
import { basic, postForm } from '../../../test/support/protocol.ts'
import { RawConnection } from '../../../test/support/raw-connection.ts'
import { onEachDatabase, type Service } from '../../../test/support/service.ts'
import { afterStatement, statementsOf } from '../../../test/support/statements.ts'
import { newMember, type TestMember } from '../../../test/support/users.ts'
import { findLongReader } from '../../platform/database/time-budget.ts'

const LIST = '/api/auth/organization/list'

onEachDatabase(
  'Lists',
  (service) => {
    const memberOfMany = (count: number) => newMemberOfMany(service(), count)
    const rename = ({ client }: TestMember) => client.post('/api/auth/update-user', { name: 'Paula Parker' })

    test('A list of less than 64 KiB costs no change', async () => {
      const user = await memberOfMany(5)
      for (let count = 0; count < 30; count += 1) assert.equal((await user.client.get(LIST)).status, 200)
      for (let count = 0; count < 10; count += 1) assert.equal((await rename(user)).status, 200)
    })

    test('A longer list costs a change for each 64 KiB, and HEAD costs as much', async () => {
      const url = new URL(LIST, service().config.baseUrl)
      for (const method of ['GET', 'HEAD']) {
        const user = await memberOfMany(20)
        const { status } = await fetch(url, { method, headers: { authorization: `Bearer ${user.token}` } })
        assert.equal(status, 200)
        for (let count = 0; count < 7; count += 1) assert.equal((await rename(user)).status, 200)
        assert.equal((await rename(user)).status, 429, method)
      }
    })

    test('A user whose lists have used up the changes of a minute gets no list, and nothing is read for it', async (t) => {
      const [user, other] = [await memberOfMany(70), await newMember(service())]
      assert.equal((await user.client.get(LIST)).body.length, 71)
      for (const milliseconds of [0, 2_000]) {
        service().advance(milliseconds)
        const statements = await statementsOf(t, service(), async () => {
          const { status, headers } = await user.client.get(LIST)
          assert.equal(status, 429)
          assert.ok(Number(headers.get('retry-after')) > 50)
        })
        assert.doesNotMatch(statements.map(({ sql }) => sql).join(), /"organizations"/)
      }
      assert.equal((await user.client.get('/api/auth/get-session')).body.user.id, user.id)
      assert.equal((await other.client.get(LIST)).status, 200)
      service().advance(60_000)
      assert.equal((await user.client.get(`${LIST}?limit=1`)).status, 200)
      const later = await statementsOf(t, service(), async () => {
        assert.equal((await user.client.get(`${LIST}?limit=1`)).status, 200)
      })
      assert.doesNotMatch(
        later.map(({ sql }) => sql).join(),
        /"rateLimits"/,
        'the minute is over, also for later lists',
      )
      assert.equal((await user.client.get(LIST)).status, 200)
    })

    test('get-overview costs a change, because it counts the members and invitations of the organization', async () => {
      const { client, organization } = await newMember(service())
      service().advance(60_000)
      const overview = () => client.get(`/api/auth/organization/get-overview?organizationId=${organization.id}`)
      const statuses: number[] = []
      for (let count = 0; count < 11; count += 1) statuses.push((await overview()).status)
      assert.deepEqual([statuses[0], statuses.at(-1)], [200, 429])
    })

    test('The long reads of a list take the turns of its user', async (t) => {
      const { id, client, organization } = await newMember(service())
      for (const [name, table] of Object.entries({ 'get-overview': 'oauthClients', 'list-members': 'members' })) {
        let reader: string | undefined
        const step = async () => {
          reader = findLongReader()
        }
        const path = `/api/auth/organization/${name}?organizationId=${organization.id}`
        await afterStatement(t, service(), { matching: new RegExp(`from "${table}"`), step }, () => client.get(path))
        assert.equal(reader, id, name)
      }
    })

    test('The organizations from which the user of a device chooses cost as much', async () => {
      const user = await memberOfMany(100)
      const logo = 'x'.repeat(2_000)
      await service().context.database.updateTable('organizations').set({ logo }).execute()
      const app = await createTestApp(service())
      const form = { scope: 'openid organization' }
      const { user_code } = (await postForm(service(), '/api/auth/device/code', form, basic(app))).body
      const statuses: number[] = []
      for (let count = 0; count < 5; count += 1)
        statuses.push((await user.client.get(`/api/auth/device?user_code=${user_code}`)).status)
      assert.deepEqual(statuses, [200, 200, 200, 200, 429])
    })

    test('Lists that are refused end their turns', async () => {
      const { client } = await newMember(service())
      for (let count = 0; count < 6; count += 1) assert.equal((await client.get(`${LIST}?limit=0`)).status, 400)
      assert.equal((await client.get(LIST)).status, 200)
    })
  },
  { USER_CHANGES_PER_MINUTE: '10' },
)

onEachDatabase('Lists that are not read', (service) => {
  async function requestList({ token }: TestMember): Promise<RawConnection> {
    const { host, port } = new URL(service().config.baseUrl)
    const connection = await RawConnection.open(Number(port))
    return connection.send(`GET ${LIST} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`)
  }

  test('A list whose client disconnects while it is read from the database ends its turn', async (t) => {
    const user = await newMember(service())
    for (let count = 0; count < 4; count += 1) {
      const isRead = Promise.withResolvers<void>()
      const step = async () => {
        connection.socket.destroy()
        // The service has noticed it before it answers another client.
        for (let requests = 0; requests < 2; requests += 1) await service().client().get('/api/auth/ok')
        isRead.resolve()
      }
      let connection: RawConnection
      await afterStatement(t, service(), { matching: /from "organizations"/, step }, async () => {
        connection = await requestList(user)
        await isRead.promise
      })
    }
    assert.equal((await user.client.get(LIST)).status, 200)
  })

  test('A user with four lists that are not read gets no further one, and other users get theirs', async (t) => {
    const [user, other] = [await newMemberOfMany(service(), 1_000), await newMember(service())]
    const connections: RawConnection[] = []
    t.after(() => {
      for (const { socket } of connections) socket.destroy()
    })
    for (let count = 0; count < 4; count += 1) {
      const connection = await requestList(user)
      connections.push(connection)
      await once(connection.socket, 'readable')
    }
    let hasAnswer = false
    const fifth = user.client.get(`${LIST}?limit=1`).finally(() => {
      hasAnswer = true
    })
    for (let count = 0; count < 5; count += 1) assert.equal((await other.client.get(LIST)).status, 200)
    assert.equal((await user.client.get('/api/auth/get-session')).status, 200)
    assert.equal(hasAnswer, false)
    connections[1]?.socket.destroy()
    assert.equal((await fifth).status, 200)
  })
})

/** A member of organizations with 10 KiB each. */
async function newMemberOfMany(service: Service, count: number): Promise<TestMember> {
  const user = await newMember(service)
  await insertOrganizations(service, user.id, count)
  await service.context.database
    .updateTable('organizations')
    .set({ metadata: JSON.stringify({ note: 'x'.repeat(10_228) }) })
    .where('id', 'like', `org-${user.id}-%`)
    .execute()
  return user
}
