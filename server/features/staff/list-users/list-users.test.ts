import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { createMigratedDatabase } from '../../../../test/support/migrated-database.ts'
import { insertTestPasskeys } from '../../../../test/support/passkeys.ts'
import { createRandom } from '../../../../test/support/random.ts'
import { onEachDatabase, type Service } from '../../../../test/support/service.ts'
import { type ModelQuery, type ModelUser, modelList, toModelUser } from '../../../../test/support/user-list-model.ts'
import { administrator, newEmail, newUser } from '../../../../test/support/users.ts'
import { openContext } from '../../../core/context.ts'
import { seedUsers } from '../../../core/users/seed-users.ts'
import { readConfig } from '../../../platform/config/config.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { FILTER_OPERATORS, TEXT_OPERATORS } from '../../../platform/filter/parse-condition.ts'
import { DAY_MILLISECONDS } from '../../../platform/time/time-units.ts'
import { liftExpiredBans } from '../bans/lift-expired-bans.ts'
import { USER_FILTER_COLUMN_NAMES, USER_FILTER_COLUMNS } from './columns.ts'
import { listUsers } from './list-users.ts'
import { parseListUsersQuery } from './parse-query.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const USERS = 240
const RANDOM_QUERIES = 250
/** More users than SQLite reads by an index (INDEXED_MAXIMUM). */
const MANY = 51_000

/** A query with both a search and a filter. */
const VERIFIED_ANNS: ModelQuery = {
  searchValue: 'ann',
  filterField: 'emailVerified',
  filterOperator: 'eq',
  filterValue: 'true',
  limit: '15',
}

const PARTS = [
  'Ann',
  'anna',
  'HANNA',
  'Ørsted',
  'ørn',
  'Ümit',
  'O’Neil',
  '100%',
  'under_score',
  'back\\slash',
  '"q"',
  "d'A",
  '李小龍',
  '\u{1f600}x',
  'I\u0307stanbul',
  'K',
  '\ud7ff',
  '\ue000',
  '\u{10ffff}',
]

onEachDatabase(`list-users (SEED=${seed})`, (service, engine) => {
  const random = createRandom(seed)
  before(async () => {
    const { database, now } = service().context
    // Some of these users are administrators, after which none can set up the service.
    await administrator(service())
    const rows = Array.from({ length: USERS }, (_, index) => randomUser(random, index, now()))
    for (let start = 0; start < rows.length; start += 80)
      await database
        .insertInto('users')
        .values(rows.slice(start, start + 80))
        .execute()
  })

  test('Every operator on every column, every order and every page agree with a plain filter', async () => {
    const { client } = await administrator(service())
    const { context } = service()
    const now = context.now()
    await liftExpiredBans(context)
    const users = await context.database.selectFrom('users').selectAll().execute()
    const everybody = users.map((row) => toModelUser(row, now))

    const queries: ModelQuery[] = [
      ...USER_FILTER_COLUMN_NAMES.flatMap((filterField) =>
        FILTER_OPERATORS.flatMap((filterOperator) =>
          [1, 2, 3].map(() => withFilter(random, everybody, { filterField, filterOperator })),
        ),
      ),
      ...USER_FILTER_COLUMN_NAMES.flatMap((sortBy) =>
        (['asc', 'desc'] as const).map((sortDirection) => ({ sortBy, sortDirection, limit: '500' })),
      ),
      ...PARTS.map((filterValue) => ({ filterField: 'name', filterOperator: 'starts_with', filterValue }) as const),
      ...USER_FILTER_COLUMN_NAMES.map((sortBy) => ({ ...VERIFIED_ANNS, sortBy })),
      ...PARTS.map((searchValue) => ({ searchValue, searchField: 'any', limit: '20' }) as const),
      { ...VERIFIED_ANNS, searchField: 'any', filter: ['role:in:user', `createdAt:gt:${now - DAY_MILLISECONDS}`] },
      { filter: ['banned:eq:true', 'name:contains:a', 'email:ends_with:.org'] },
      ...Array.from({ length: RANDOM_QUERIES }, () => randomQuery(random, everybody)),
    ]
    for (const [index, query] of queries.entries()) {
      const parameters = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) parameters.append(name, one)
      // An address of its own each time, or the limit would count them together.
      const address = `2001:db8:${index.toString(16)}::1`
      const answer = await client.get(`/api/auth/admin/list-users?${parameters}`, {
        headers: { 'x-forwarded-for': address },
      })
      const called = `SEED=${seed} ${JSON.stringify(query)}`
      const isText = USER_FILTER_COLUMNS[query.filterField ?? 'email'].type === 'text'
      if (!isText && TEXT_OPERATORS.some((name) => name === query.filterOperator)) {
        assert.equal(answer.status, 400, called)
        assert.equal(answer.body.field, 'filterOperator', called)
        continue
      }
      assert.equal(answer.status, 200, `${called} ${JSON.stringify(answer.body)}`)
      const expected = modelList(everybody, query)
      assert.equal(answer.body.total, expected.total, called)
      assert.deepEqual(
        answer.body.users.map(({ id }: { id: string }) => id),
        expected.users.map(({ id }) => id),
        called,
      )
    }
  })

  if (engine === 'sqlite')
    test('SQLite returns the same when a condition matches more users than it reads by an index', async () => {
      const testDatabase = await createMigratedDatabase('sqlite')
      const { context, close } = openContext(readConfig({ DATABASE_URL: testDatabase.url, SECRET: 'x'.repeat(32) }), {
        now: Date.now,
        randomBytes,
        log: pino({ level: 'silent' }),
      })
      await seedUsers(context, MANY, () => {})
      const rows = await context.database.selectFrom('users').selectAll().execute()
      const everyone = rows.map((row) => toModelUser(row, context.now()))
      const queries: ModelQuery[] = [
        { filterField: 'email', filterOperator: 'contains', filterValue: 'PEOPLE.inv' },
        { filterField: 'email', filterOperator: 'ends_with', filterValue: '.Invalid' },
        { filterField: 'name', filterOperator: 'gte', filterValue: 'A' },
        { filterField: 'role', filterOperator: 'in', filterValue: ['user', 'admin'] },
        { filterField: 'banReason', filterOperator: 'ne', filterValue: 'Spam' },
        { searchValue: 'people', filterField: 'updatedAt', filterOperator: 'gt', filterValue: '0' },
        { searchValue: 'maria', filterField: 'banned', filterOperator: 'eq', filterValue: 'false' },
        { searchValue: 'people', searchField: 'any', filter: ['banned:eq:false', 'name:gte:B'] },
      ]
      const questions = queries.flatMap((filter, index): ModelQuery[] => {
        const sortBy = USER_FILTER_COLUMN_NAMES[(index * 5) % USER_FILTER_COLUMN_NAMES.length] ?? 'name'
        const page = { ...filter, sortBy, limit: '20' }
        // The second page is beyond the users that are tried first.
        return [
          { ...page, sortDirection: 'asc', offset: '7' },
          { ...page, sortDirection: 'desc', offset: '6000' },
        ]
      })
      for (const question of questions) {
        const { users, total } = await listUsers(context, parseListUsersQuery(question as never))
        const expected = modelList(everyone, question)
        assert.equal(total, expected.total, JSON.stringify(question))
        assert.deepEqual(
          users.map(({ id }) => id),
          expected.users.map(({ id }) => id),
          JSON.stringify(question),
        )
      }
      await close()
      await testDatabase.drop()
    })

  test('CVE-2026-33503: a parameter with a value outside of its closed list is refused, and named', async () => {
    const { client } = await administrator(service())
    const refused: [string, string][] = [
      ['sortBy=passwordHash', 'sortBy'],
      ['sortBy=name;drop table users', 'sortBy'],
      ['sortBy=name&sortBy=id', 'sortBy'],
      ['sortBy=constructor', 'sortBy'],
      ['sortDirection=sideways', 'sortDirection'],
      ['filterField=tokenHash&filterValue=x', 'filterField'],
      ['filterField=__proto__&filterValue=x', 'filterField'],
      ['filterOperator=like&filterValue=x', 'filterOperator'],
      ['filterField=name', 'filterValue'],
      ['filterOperator=eq', 'filterValue'],
      ['filterValue=a&filterValue=b', 'filterValue'],
      ['filterField=createdAt&filterValue=yesterday', 'filterValue'],
      ['filterField=createdAt&filterValue=2026-13-45', 'filterValue'],
      ['filterField=banned&filterValue=maybe', 'filterValue'],
      ['filterField=banned&filterOperator=contains&filterValue=true', 'filterOperator'],
      ['filterValue=a%00b', 'filterValue'],
      [`filterValue=${'x'.repeat(300)}`, 'filterValue'],
      ['searchField=image&searchValue=x', 'searchField'],
      ['searchOperator=eq&searchValue=x', 'searchOperator'],
      ['searchValue=%00', 'searchValue'],
      ['searchValue=ann%0a', 'searchValue'],
      ['filterField=name&filterOperator=contains&filterValue=ann%0a', 'filterValue'],
      [`searchValue=${'x'.repeat(300)}`, 'searchValue'],
      ['limit=0', 'limit'],
      ['limit=501', 'limit'],
      ['limit=-1', 'limit'],
      ['limit=1e2', 'limit'],
      ['limit=10;select 1', 'limit'],
      ['limit=', 'limit'],
      ['offset=-1', 'offset'],
      ['offset=abc', 'offset'],
      ['offset=99999999999', 'offset'],
      ['surprise=1', 'surprise'],
      ['filter=name:eq', 'filter'],
      ['filter=tokenHash:eq:x', 'filter'],
      ['filter=banned:contains:true', 'filter'],
      ['filter=hasPasskey:ne:true', 'filter'],
      ['filter=hasPasskey:eq:maybe', 'filter'],
      ['filterField=hasPasskey&filterValue=true', 'filterField'],
      ['sortBy=hasPasskey', 'sortBy'],
      ['filter=createdAt:gt:yesterday', 'filter'],
      [Array(6).fill('filter=name:eq:x').join('&'), 'filter'],
      ['filterValue[]=x', 'filterValue[]'],
      ['filterOperator=in&filterValue=[', 'filterValue'],
      ['filterOperator=in&filterValue=[]', 'filterValue'],
      ['filterOperator=in&filterValue=[{}]', 'filterValue'],
      ['filterOperator=not_in&filterValue=["a\\n"]', 'filterValue'],
      ['filterField=createdAt&filterOperator=in&filterValue=["yesterday"]', 'filterValue'],
      [`filterOperator=in&filterValue=${JSON.stringify(Array(101).fill('a'))}`, 'filterValue'],
      [`filterValue=[${'x'.repeat(300)}`, 'filterValue'],
    ]
    for (const [query, field] of refused) {
      const answer = await client.get(`/api/auth/admin/list-users?${query}`)
      assert.equal(answer.status, 400, query)
      assert.equal(answer.body.field, field, `${query}: ${answer.body.message}`)
    }
  })

  test('filter=hasPasskey finds the users with and without a passkey, each once', async () => {
    const admin = await administrator(service())
    const ids: string[] = []
    for (const count of [0, 1, 2]) {
      // Users of one millisecond have any order.
      service().advance(1)
      const id = await newUser(service(), { email: `keys${count}-${newEmail()}`, name: 'Kay Keys' })
      if (count > 0) await insertTestPasskeys(service(), id, count)
      ids.push(id)
    }
    const found = async (query: string) => {
      const { body } = await admin.client.get(`/api/auth/admin/list-users?searchValue=keys&limit=2&${query}`)
      return [body.total, ...body.users.map(({ id }: { id: string }) => id)]
    }
    assert.deepEqual(await found('filter=hasPasskey:eq:true'), [2, ids[1], ids[2]])
    assert.deepEqual(await found('filter=hasPasskey:eq:true&sortBy=email&sortDirection=desc'), [2, ids[2], ids[1]])
    assert.deepEqual(await found('filter=hasPasskey:eq:false'), [1, ids[0]])
    assert.deepEqual(await found('filter=hasPasskey:eq:true&filter=banned:eq:true'), [0])
  })

  test('In and not_in take repeated parameters, or one JSON array', async () => {
    const { client } = await administrator(service())
    const total = async (query: string) => {
      const answer = await client.get(`/api/auth/admin/list-users?${query}`)
      assert.equal(answer.status, 200, answer.body.message)
      return answer.body.total
    }
    const all = await total('limit=1')
    const repeated = await total('filterField=role&filterOperator=in&filterValue=admin&filterValue=support')
    assert.ok(repeated > 0 && repeated < all)
    assert.equal(await total('filterField=role&filterOperator=in&filterValue=["admin","support"]'), repeated)
    assert.equal(await total('filterField=role&filterOperator=not_in&filterValue=["admin","support"]'), all - repeated)
    assert.equal(await total('filterField=banned&filterOperator=in&filterValue=[true,false]'), all)
    assert.equal(await total('filterField=createdAt&filterOperator=in&filterValue=[1,"2020"]'), 0)
    assert.equal(await total('filterField=name&filterOperator=eq&filterValue=["admin"]'), 0)
  })

  test('Parts of an imported id find its user, without regard to the case', async () => {
    const { database } = service().context
    const { client, id } = await administrator(service())
    const row = await database.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const [imported, prefixed] = ['k7QpWz3VbNm1XyRtLd9sHc2fGj5aEu8o', 'usr_K7QpWz3V']
    const copies = [imported, prefixed].map((copy) => ({
      ...row,
      id: copy,
      email: `${copy}@example.com`.toLowerCase(),
    }))
    await database.insertInto('users').values(copies).execute()
    for (const [operator, value, expected] of [
      ['starts_with', 'k7QpW', [imported]],
      ['starts_with', 'K7qPw', [imported]],
      ['starts_with', 'usr_K7Qp', [prefixed]],
      ['starts_with', id.slice(0, -1).toUpperCase(), [id]],
      ['contains', 'QpWz3V', [imported, prefixed]],
      ['contains', 'qpwZ3v', [imported, prefixed]],
      ['ends_with', '5aEu8o', [imported]],
      ['ends_with', '5AeU8O', [imported]],
      ['eq', imported, [imported]],
      ['eq', imported.toLowerCase(), []],
    ] as const) {
      const query = new URLSearchParams({
        filterField: 'id',
        filterOperator: operator,
        filterValue: value,
        sortBy: 'id',
      })
      const { body } = await client.get(`/api/auth/admin/list-users?${query}`)
      assert.deepEqual(
        body.users.map((user: { id: string }) => user.id),
        expected,
        `${operator} ${value}`,
      )
    }
    await database.deleteFrom('users').where('id', 'in', [imported, prefixed]).execute()
  })

  test('A search finds the same users after VACUUM on SQLite, and without pg_trgm on PostgreSQL', async () => {
    const { database } = service().context
    const admin = await administrator(service())
    const found = async () => (await admin.client.get('/api/auth/admin/list-users?searchValue=ann&limit=500')).body
    const gap = await newUser(service())
    const last = await newUser(service(), { email: `ann-${newEmail()}` })
    await database.deleteFrom('users').where('id', '=', gap).execute()
    const foundBefore = await found()
    assert.ok(foundBefore.users.some(({ id }: { id: string }) => id === last))
    await (service().engine === 'sqlite' ? vacuum(service()) : sql`drop extension pg_trgm cascade`.execute(database))
    assert.deepEqual(await found(), foundBefore)
    await database.deleteFrom('users').where('id', '=', last).execute()
  })

  test('The total is right after each change, also when it was read before', async () => {
    const admin = await administrator(service())
    const total = async (query: string) =>
      (await admin.client.get(`/api/auth/admin/list-users?limit=1&${query}`)).body.total
    const [everybody, banned] = [await total(''), await total('filterField=banned&filterValue=true')]
    const userId = await newUser(service())
    assert.equal(await total(''), everybody + 1)
    await admin.client.post('/api/auth/admin/ban-user', { userId })
    assert.equal(await total('filterField=banned&filterValue=true'), banned + 1)
    await admin.client.post('/api/auth/admin/remove-user', { userId })
    assert.equal(await total(''), everybody)
  })

  test('A page has 100 users by default, and a page beyond the last user is empty with the same total', async () => {
    const { client } = await administrator(service())
    const usual = await client.get('/api/auth/admin/list-users')
    assert.equal(usual.body.users.length, 100)
    assert.equal(usual.body.limit, 100)
    assert.equal(usual.body.offset, 0)
    assert.ok(usual.body.total > 100)
    const beyond = await client.get('/api/auth/admin/list-users?limit=500&offset=100000')
    assert.deepEqual(beyond.body.users, [])
    assert.equal(beyond.body.total, usual.body.total)
  })
})

/** Runs VACUUM on a separate connection, as another program would. */
function vacuum({ config }: Service): void {
  if (config.database.engine !== 'sqlite') return
  const connection = new DatabaseSync(config.database.path)
  connection.exec('VACUUM')
  connection.close()
}

type Random = ReturnType<typeof createRandom>

function randomUser(random: Random, index: number, now: number): UserRow {
  const banned = random.chance(0.3)
  const spread = 3_600_000
  const text = (count: number) => Array.from({ length: count }, () => random.pick(PARTS)).join(random.pick(['', ' ']))
  return {
    id: `usr_fixed${random.integer(0, 9)}${index.toString(36).padStart(4, '0')}`,
    name: text(random.integer(1, 3)),
    email: `${random.pick(['ann', 'bob', 'ann.bob', 'x_y', 'a%b'])}${index}@${random.pick(['example.com', 'example.org'])}`,
    emailVerified: random.chance(0.5) ? 1 : 0,
    image: random.chance(0.5) ? null : `https://example.com/${random.pick(['A', 'a', 'B'])}.png`,
    role: random.pick(['user', 'user', 'user', 'support', 'admin']),
    banned: banned ? 1 : 0,
    banReason: banned && random.chance(0.7) ? text(1) : null,
    // Some bans have expired, and do not count.
    banExpires: banned && random.chance(0.6) ? now + (random.integer(-5, 5) + 0.5) * spread : null,
    createdAt: now - random.integer(0, 20) * DAY_MILLISECONDS * 0.3,
    updatedAt: now - random.integer(0, 20) * DAY_MILLISECONDS * 0.3,
    properties: '{}',
    twoFactorEnabled: random.chance(0.3) ? 1 : 0,
  }
}

function randomValue(
  random: Random,
  everybody: ModelUser[],
  column: (typeof USER_FILTER_COLUMN_NAMES)[number],
): string {
  const value = random.pick(everybody)[column]
  const type = USER_FILTER_COLUMNS[column].type
  if (type === 'flag') return String(random.chance(0.5))
  if (type === 'time') {
    const time = Number(value ?? everybody[0]?.createdAt) + random.pick([0, 0, 1, -1])
    return random.chance(0.5) ? String(time) : new Date(time).toISOString()
  }
  return value === null || random.chance(0.1) ? random.pick(PARTS) : String(value)
}

function withFilter(
  random: Random,
  everybody: ModelUser[],
  { filterField, filterOperator }: Required<Pick<ModelQuery, 'filterField' | 'filterOperator'>>,
): ModelQuery {
  const value = () => randomValue(random, everybody, filterField)
  const isList = filterOperator === 'in' || filterOperator === 'not_in'
  if (isList) return { filterField, filterOperator, filterValue: Array.from({ length: random.integer(1, 4) }, value) }
  const whole = value()
  if (!TEXT_OPERATORS.some((name) => name === filterOperator))
    return { filterField, filterOperator, filterValue: whole }
  return { filterField, filterOperator, filterValue: pieceOf(random, whole) }
}

/** A random part of a text, sometimes in upper or lower case. */
function pieceOf(random: Random, text: string): string {
  const characters = [...text]
  const start = random.pick([0, random.integer(0, characters.length)])
  const piece = characters.slice(start, random.pick([characters.length, start + random.integer(0, 6)])).join('')
  return random.pick([piece, piece.toUpperCase(), piece.toLowerCase()])
}

function randomQuery(random: Random, everybody: ModelUser[]): ModelQuery {
  const sometimes = <T extends object>(part: T): Partial<T> => (random.chance(0.5) ? part : {})
  const searchField = random.pick(['email', 'name'] as const)
  return {
    ...sometimes(
      withFilter(random, everybody, {
        filterField: random.pick(USER_FILTER_COLUMN_NAMES),
        filterOperator: random.pick(FILTER_OPERATORS),
      }),
    ),
    ...sometimes({
      searchField,
      searchOperator: random.pick(TEXT_OPERATORS),
      searchValue: pieceOf(random, randomValue(random, everybody, searchField)),
    }),
    ...sometimes({
      sortBy: random.pick(USER_FILTER_COLUMN_NAMES),
      sortDirection: random.pick(['asc', 'desc'] as const),
    }),
    ...sometimes({ limit: String(random.integer(1, 50)), offset: String(random.integer(0, 60)) }),
  }
}
