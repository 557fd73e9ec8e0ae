import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../server/platform/database/tables.ts'

/** What no two things that happen at once may ever lead to. */
const RULES = {
  'an organization without an owner': sql`
    select id from organizations
    where not exists (select from members where "organizationId" = organizations.id and role = 'owner')`,
  'a session of somebody who is banned': sql`
    select sessions.id from sessions join users on users.id = "userId" where banned = 1 and "banExpires" is null`,
  'a session in an organization that its user is not in': sql`
    select id from sessions where "activeOrganizationId" is not null and not exists (
      select from members
      where members."organizationId" = sessions."activeOrganizationId" and members."userId" = sessions."userId")`,
  'staff acting as staff': sql`
    select sessions.id from sessions join users on users.id = "userId"
    where "impersonatedBy" is not null and role <> 'user'`,
  'somebody acting who is not staff': sql`
    select sessions.id from sessions join users on users.id = "impersonatedBy" where role <> 'admin'`,
  'somebody who acted, and whose end is in no record': sql`
    select id from "auditEvents" as started
    where action = 'impersonation.started'
    and not exists (select from sessions where sessions.id = started.details::json ->> 'sessionId')
    and not exists (
      select from "auditEvents" as ended
      where ended.action = 'impersonation.ended'
      and ended.details::json ->> 'sessionId' = started.details::json ->> 'sessionId')`,
}

/** On PostgreSQL. @returns the rules that are broken, and by what */
export async function brokenRules(database: Kysely<Tables>): Promise<string[]> {
  const broken: string[] = []
  for (const [rule, query] of Object.entries(RULES)) {
    const { rows } = await sql<{ id: string }>`${query}`.execute(database)
    broken.push(...rows.map(({ id }) => `${rule}: ${id}`))
  }
  return broken
}
