import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { newHome } from '../../../../test/support/home.ts'
import { createRandom } from '../../../../test/support/random.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import type { Context } from '../../../core/context.ts'
import { readConfig } from '../../../platform/config/config.ts'
import { MIGRATIONS, migrate } from '../../../platform/database/migrate.ts'
import { openDatabase } from '../../../platform/database/open.ts'
import type { Tables, UserRow } from '../../../platform/database/tables.ts'
import { foldTallies } from './tallies.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
type Random = ReturnType<typeof createRandom>
const ROUNDS = 60

onEachDatabase(`Tallies of people (SEED=${seed})`, (service) => {
  test('say what counting says, at every moment of many changes at once', async () => {
    const { database } = service().context
    const changing = [1, 2, 3].map((writer) => changePeople(database, createRandom(seed + writer), `w${writer}`))
    const work = [...changing, foldOften(service().context)]
    let isOver = false
    const done = Promise.all(work).finally(() => {
      isOver = true
    })
    let looks = 0
    while (!isOver) {
      const { tallied, counted } = await lookAtBoth(database)
      assert.equal(tallied, counted, `SEED=${seed}`)
      looks += 1
    }
    await done
    assert.ok(looks > 1)
    assert.deepEqual(await standings(database, 'tallied'), await standings(database, 'counted'), `SEED=${seed}`)
    for (const column of ['createdAt', 'updatedAt'] as const) {
      assert.deepEqual(await days(database, column, 'tallied'), await days(database, column, 'counted'), `SEED=${seed}`)
    }
  })

  test('become few rows when they are added up, and say the same', async () => {
    const { database } = service().context
    await changePeople(database, createRandom(seed), 'again')
    const before = await standings(database, 'tallied')
    await foldTallies(service().context, 0)
    const { rows } = await sql<{ count: number }>`select count(*) as count from "userStandings"`.execute(database)
    assert.ok((rows[0]?.count ?? 0) <= before.length + 12)
    assert.deepEqual(await standings(database, 'tallied'), before)
  })

  test('are added up beside somebody who is adding them up, without waiting', async () => {
    const { database } = service().context
    await changePeople(database, createRandom(seed), 'beside')
    const before = await standings(database, 'tallied')
    await database.transaction().execute(async (transaction) => {
      await foldTallies({ ...service().context, database: transaction }, 0)
      await foldTallies(service().context, 0)
    })
    assert.deepEqual(await standings(database, 'tallied'), before)
  })

  test('know the people who were there before the tallies were', async (t) => {
    const home = await newHome(service().engine)
    t.after(() => home.remove())
    const { database: settings } = readConfig({ DATABASE_URL: home.databaseUrl, SECRET: 'x'.repeat(32) })
    const { database } = openDatabase(settings, () => {})
    t.after(() => database.destroy())
    const names = Object.keys(MIGRATIONS)
    const upTo = names.slice(0, names.indexOf('0006-counting-people'))
    await migrate(database, Object.fromEntries(upTo.map((name) => [name, MIGRATIONS[name] as never])))
    const random = createRandom(seed)
    const testUsers = Array.from({ length: 50 }, (_, index) => randomPerson(random, `old${index}`))
    // The column came with a later migration.
    const olderPeople = testUsers.map(({ properties: _, ...user }) => user)
    const olderTables = database as unknown as Kysely<{ users: Omit<UserRow, 'properties'> }>
    await olderTables.insertInto('users').values(olderPeople).execute()
    await migrate(database)
    assert.deepEqual(await standings(database, 'tallied'), await standings(database, 'counted'), `SEED=${seed}`)
    assert.deepEqual(await days(database, 'createdAt', 'tallied'), await days(database, 'createdAt', 'counted'))
    if (settings.engine === 'postgres') return
    const { rows } = await sql`select rowid from "usersSearch" where "usersSearch" match 'email : "old7@"'`.execute(
      database,
    )
    assert.equal(rows.length, 1)
  })
})

/** Makes, changes and removes people, several with one statement now and then. */
async function changePeople(database: Kysely<Tables>, random: Random, prefix: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const testUsers = Array.from({ length: random.integer(1, 5) }, (_, index) =>
      randomPerson(random, `${prefix}-${round}-${index}`),
    )
    await database.insertInto('users').values(testUsers).execute()
    const { id: _, email: __, ...change } = randomPerson(random, '')
    const mine = database.selectFrom('users').select('id').where('id', 'like', `usr_${prefix}-%`)
    const some = mine.limit(random.integer(0, 3))
    await database.updateTable('users').set(change).where('id', 'in', some).execute()
    await database.deleteFrom('users').where('id', 'in', some).execute()
  }
}

async function foldOften(context: Context): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all([1, 2].map(() => foldTallies(context, 0)))
  }
}

function randomPerson(random: Random, key: string): UserRow {
  const day = () => random.integer(1, 20_000) * 86_400_000 + random.pick([0, 1, 86_399_999])
  return {
    id: `usr_${key}`,
    name: 'Tilly Tally',
    email: `${key}@example.com`,
    emailVerified: random.integer(0, 1),
    image: null,
    role: random.pick(['user', 'support']),
    banned: random.integer(0, 1),
    banReason: null,
    properties: '{}',
    banExpires: null,
    createdAt: day(),
    updatedAt: day(),
  }
}

async function lookAtBoth(database: Kysely<Tables>): Promise<{ tallied: number; counted: number }> {
  const { rows } = await sql<{ tallied: number; counted: number }>`select
    (select coalesce(sum(people), 0) from "userStandings") as tallied, (select count(*) from users) as counted`.execute(
    database,
  )
  return rows[0] as { tallied: number; counted: number }
}

type Source = 'tallied' | 'counted'

async function standings(database: Kysely<Tables>, source: Source): Promise<unknown[]> {
  const from =
    source === 'tallied' ? sql`sum(people) as people from "userStandings"` : sql`count(*) as people from users`
  const { rows } = await sql`select role, "emailVerified", banned, ${from} group by 1, 2, 3 order by 1, 2, 3`.execute(
    database,
  )
  return rows.filter((row) => (row as { people: number }).people !== 0)
}

async function days(database: Kysely<Tables>, column: 'createdAt' | 'updatedAt', source: Source): Promise<unknown[]> {
  const { rows } =
    source === 'tallied'
      ? await sql`select day, sum(people) as people from "userDays" where "column" = ${column} group by 1 order by 1`.execute(
          database,
        )
      : await sql`select ${sql.ref(column)} / 86400000 as day, count(*) as people from users group by 1 order by 1`.execute(
          database,
        )
  return rows.filter((row) => (row as { people: number }).people !== 0)
}
