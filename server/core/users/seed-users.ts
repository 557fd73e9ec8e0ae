import { type Kysely, sql } from 'kysely'
import { newId } from '../../platform/crypto/tokens.ts'
import { hasMoreThan } from '../../platform/database/has-more-than.ts'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import { DAY_MILLISECONDS } from '../../platform/time/time-units.ts'
import type { Context } from '../context.ts'
import { createRandomUser, SEED_DOMAIN } from './create-random-user.ts'

const USERS_PER_INSERT = 5_000
const SPREAD_MILLISECONDS = 3 * 365 * DAY_MILLISECONDS

export class RealUsersError extends Error {
  override name = 'RealUsersError'
  constructor() {
    super('This database has real users. Seed an empty database.')
  }
}

/** @throws RealUsersError */
export async function seedUsers(context: Context, count: number, onProgress: (done: number) => void): Promise<void> {
  const { database, now } = context
  if (await hasRealUser(database)) throw new RealUsersError()
  const end = now()
  for (let done = 0; done < count; done += USERS_PER_INSERT) {
    const users = Array.from({ length: Math.min(USERS_PER_INSERT, count - done) }, (_, index) => {
      const createdAt = Math.round(end - SPREAD_MILLISECONDS * (1 - (done + index + 1) / count))
      return { id: newId('usr', { ...context, now: () => createdAt }), ...createRandomUser(context, createdAt, end) }
    })
    await insertUsers(context, users)
    onProgress(done + users.length)
  }
}

export function hasRealUser(database: Kysely<Tables>): Promise<boolean> {
  return hasMoreThan(database.selectFrom('users').select('id').where('email', 'not like', `%@${SEED_DOMAIN}`), 0)
}

/** One JSON parameter: thousands of parameters take longer to compile than to insert. */
async function insertUsers({ database, config }: Context, users: UserRow[]): Promise<void> {
  const json = JSON.stringify(users)
  const names = Object.keys(users[0] ?? {})
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const rows =
    config.database.engine === 'sqlite'
      ? sql`select ${sql.join(names.map((name) => sql`value ->> ${sql.lit(name)}`))} from json_each(${json})`
      : sql`select ${columns} from json_populate_recordset(null::users, ${json})`
  await sql`insert into users (${columns}) ${rows}`.execute(database)
}
