import { type Kysely, sql } from 'kysely'
import { newId } from '../../platform/crypto/tokens.ts'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import type { Context } from '../context.ts'
import { createRandomUser, SEED_DOMAIN } from './create-random-user.ts'

const PEOPLE_AT_ONCE = 5_000
const SPREAD_MILLISECONDS = 3 * 365 * 24 * 3_600_000

/** Somebody is there who was not made here. */
export class RealUsersError extends Error {
  override name = 'RealUsersError'
  constructor() {
    super('There are real people in this database: made-up ones would be mixed with them. Use an empty one.')
  }
}

/**
 * Makes people who never were, the newest a moment ago and the oldest three years back.
 * @throws RealUsersError
 */
export async function seedUsers(context: Context, count: number, onProgress: (done: number) => void): Promise<void> {
  const { database, now } = context
  if (await hasRealUser(database)) throw new RealUsersError()
  const end = now()
  for (let done = 0; done < count; done += PEOPLE_AT_ONCE) {
    const people = Array.from({ length: Math.min(PEOPLE_AT_ONCE, count - done) }, (_, index) => {
      const createdAt = Math.round(end - SPREAD_MILLISECONDS * (1 - (done + index + 1) / count))
      return { id: newId('usr', { ...context, now: () => createdAt }), ...createRandomUser(context, createdAt, end) }
    })
    await insertMany(context, people)
    onProgress(done + people.length)
  }
}

/** Whether a user exists that `seedUsers` has not created. */
export async function hasRealUser(database: Kysely<Tables>): Promise<boolean> {
  const real = await database
    .selectFrom('users')
    .select('id')
    .where('email', 'not like', `%@${SEED_DOMAIN}`)
    .limit(1)
    .executeTakeFirst()
  return real !== undefined
}

/** One parameter for all of them: thousands would take longer to compile than to insert. */
async function insertMany({ database, config }: Context, people: UserRow[]): Promise<void> {
  const json = JSON.stringify(people)
  const names = Object.keys(people[0] ?? {})
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const rows =
    config.database.engine === 'sqlite'
      ? sql`select ${sql.join(names.map((name) => sql`value ->> ${sql.lit(name)}`))} from json_each(${json})`
      : sql`select ${columns} from json_populate_recordset(null::users, ${json})`
  await sql`insert into users (${columns}) ${rows}`.execute(database)
}
