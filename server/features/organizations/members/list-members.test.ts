import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { onEachDatabase, type Service } from '../../../../test/support/service.ts'
import { administratorWithOrganization, member, type TestMember } from '../../../../test/support/users.ts'
import { newId } from '../../../platform/crypto/tokens.ts'
import type { OrganizationRole } from '../../../platform/database/tables.ts'

const LIST = '/api/auth/organization/list-members'
const MANY = 1000
const ROWS_AT_ONCE = 500

/** Inserts rows, because that many invitations would take too long. */
async function addMany({ context }: Service, organizationId: string): Promise<void> {
  const { database, now } = context
  for (let start = 0; start < MANY; start += ROWS_AT_ONCE) {
    const users = Array.from({ length: ROWS_AT_ONCE }, (_, index) => {
      const number = String(start + index).padStart(5, '0')
      const id = newId('usr', context)
      const testUser = { id, name: `Person ${number}`, email: `person-${number}-${id.slice(-8)}@example.com` }
      const times = { createdAt: now(), updatedAt: now() }
      return {
        ...testUser,
        ...times,
        emailVerified: 1,
        image: null,
        role: 'user' as const,
        banned: 0,
        banReason: null,
        properties: '{}',
        banExpires: null,
        twoFactorEnabled: 0,
      }
    })
    await database.insertInto('users').values(users).execute()
    const members = users.map(({ id: userId }, index) => {
      const role: OrganizationRole = (start + index) % 100 === 0 ? 'admin' : 'member'
      return { id: newId('mem', context), organizationId, userId, role, createdAt: now() + start + index }
    })
    await database.insertInto('members').values(members).execute()
  }
}

onEachDatabase('list-members with 1,000 members', (service) => {
  let founder: TestMember
  before(async () => {
    founder = await administratorWithOrganization(service())
    await addMany(service(), founder.organization.id)
  })

  const list = async (query: Record<string, string> | [string, string][]) => {
    const answer = await founder.client.get(`${LIST}?${new URLSearchParams(query)}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body).slice(0, 300))
    return answer.body as {
      members: { id: string; role: string; createdAt: string; user: { name: string } }[]
      total: number
    }
  }
  const names = (page: Awaited<ReturnType<typeof list>>) => page.members.map(({ user }) => user.name)

  test('list-members returns at most 100 members, oldest first, and the total', async () => {
    const page = await list({})
    assert.deepEqual([page.members.length, page.total], [100, MANY + 1])
    assert.equal(page.members[0]?.role, 'owner')
    assert.deepEqual(Object.keys(page.members[0]?.user ?? {}), ['id', 'name', 'email', 'image'])
    assert.ok(!JSON.stringify(page).includes('passwordHash'))
  })

  test('list-members returns every member once over all pages', async () => {
    const seen = new Set<string>()
    for (let offset = 0; offset <= MANY; offset += 100) {
      const { members } = await list({ limit: '100', offset: String(offset), sortBy: 'name', sortDirection: 'desc' })
      for (const { id } of members) seen.add(id)
    }
    assert.equal(seen.size, MANY + 1)
    assert.deepEqual((await list({ offset: '20000' })).members, [])
  })

  test('list-members sorts by a column in both directions', async () => {
    const last = await list({ limit: '3', sortBy: 'name', sortDirection: 'desc' })
    assert.deepEqual(names(last), ['Person 00999', 'Person 00998', 'Person 00997'])
    const newest = await list({ limit: '1', sortBy: 'createdAt', sortDirection: 'desc' })
    assert.deepEqual(names(newest), ['Person 00999'])
  })

  test('list-members filters by every operator', async () => {
    const total = async (filterField: string, filterOperator: string, filterValue: string) =>
      (await list({ filterField, filterOperator, filterValue })).total
    assert.equal(await total('role', 'eq', 'admin'), 10)
    assert.equal(await total('role', 'ne', 'admin'), MANY - 9)
    assert.equal(await total('name', 'contains', 'ERSON 0001'), 10)
    assert.equal(await total('name', 'starts_with', 'person 009'), 100)
    assert.equal(await total('name', 'ends_with', '77'), 10)
    assert.equal(await total('name', 'gt', 'a'), 0, 'by code point: capitals come first')
    assert.equal(await total('email', 'contains', '%'), 0)
    assert.equal(await total('email', 'contains', '_'), 0)
    assert.equal(await total('name', 'contains', '\\'), 0)
    const { members } = await list({ limit: '1', offset: '501' })
    const middle = members[0]?.createdAt ?? ''
    assert.equal((await total('createdAt', 'lt', middle)) + (await total('createdAt', 'gte', middle)), MANY + 1)
    assert.equal(await total('createdAt', 'gt', String(Date.parse(middle))), await total('createdAt', 'gt', middle))
    assert.equal(await total('createdAt', 'lte', '2020-01-01'), 0)
    const both: [string, string][] = [
      ['filterField', 'role'],
      ['filterOperator', 'in'],
      ['filterValue', 'owner'],
      ['filterValue', 'admin'],
    ]
    assert.equal((await list(both)).total, 11)
    assert.equal((await list(both.map(([name, value]) => [name, value === 'in' ? 'not_in' : value]))).total, MANY - 10)
    const asJson = { filterField: 'role', filterOperator: 'in', filterValue: '["owner","admin"]' }
    assert.equal((await list(asJson)).total, 11)
    assert.equal((await list({ ...asJson, filterOperator: 'not_in' })).total, MANY - 10)
    assert.equal((await list({ filterField: 'role', filterValue: 'owner' })).total, 1)
  })

  test('list-members searches names and email addresses, together with a filter', async () => {
    const total = async (query: Record<string, string>) => (await list(query)).total
    assert.equal(await total({ searchValue: 'ERSON 0001' }), 10, 'names')
    assert.equal(await total({ searchValue: 'ERSON-0001' }), 10, 'email addresses')
    assert.equal(await total({ searchValue: '%' }), 0)
    assert.equal(await total({ searchValue: 'person', filterField: 'role', filterValue: 'admin' }), 10)
  })

  test('CVE-2026-33503: list-members sorts and filters by known columns only and names the invalid field', async () => {
    const bad: [Record<string, string>, string][] = [
      [{ limit: '0' }, 'limit'],
      [{ limit: '101' }, 'limit'],
      [{ limit: '-1' }, 'limit'],
      [{ limit: '1e2' }, 'limit'],
      [{ offset: '-1' }, 'offset'],
      [{ offset: '99999999999999999999' }, 'offset'],
      [{ sortBy: 'passwordHash' }, 'sortBy'],
      [{ sortBy: 'role; drop table members' }, 'sortBy'],
      [{ sortBy: '' }, 'sortBy'],
      [{ sortDirection: 'desc, id' }, 'sortDirection'],
      [{ filterField: 'users.banned', filterValue: '1' }, 'filterField'],
      [{ filterField: '__proto__', filterValue: '1' }, 'filterField'],
      [{ filterField: 'role', filterValue: 'x', filterOperator: 'or 1=1' }, 'filterOperator'],
      [{ filterOperator: 'ne' }, 'filterField'],
      [{ filterField: 'role' }, 'filterValue'],
      [{ filterValue: 'x' }, 'filterField'],
      [{ filterField: 'name', filterValue: 'a\u0000b' }, 'filterValue'],
      [{ filterField: 'name', filterValue: 'x'.repeat(321) }, 'filterValue'],
      [{ filterField: 'createdAt', filterValue: 'yesterday' }, 'filterValue'],
      [{ filterField: 'createdAt', filterValue: '99999999999999999999' }, 'filterValue'],
      [{ filterField: 'createdAt', filterValue: '2026', filterOperator: 'contains' }, 'filterOperator'],
      ...[
        '[',
        '[]',
        '["a"',
        '[{}]',
        '[["a"]]',
        '[null]',
        '["a\\u0000"]',
        `["${'x'.repeat(321)}"]`,
        JSON.stringify(Array(101).fill('a')),
      ].map((filterValue): [Record<string, string>, string] => [
        { filterField: 'name', filterOperator: 'in', filterValue },
        'filterValue',
      ]),
      [{ surprise: '1' }, 'surprise'],
    ]
    for (const [query, field] of bad) {
      const answer = await founder.client.get(`${LIST}?${new URLSearchParams(query)}`)
      assert.equal(answer.status, 400, JSON.stringify(query).slice(0, 80))
      assert.equal(answer.body.field, field, JSON.stringify(query).slice(0, 80))
    }
  })

  test('CVE-2025-67717, CVE-2026-26012: list-members returns and counts members of one organization only', async () => {
    const other = await administratorWithOrganization(service())
    await member(service(), other)
    const { body } = await other.client.get(LIST)
    assert.equal(body.total, 2)
    const foreign = await founder.client.get(`${LIST}?filterField=userId&filterValue=${body.members[1].userId}`)
    assert.equal(foreign.status, 200)
    const mixed = await other.client.get(
      `${LIST}?organizationId=${other.organization.id}&filterField=name&filterOperator=contains&filterValue=Person`,
    )
    assert.equal(mixed.body.total, 0)
  })
})
