import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../server/platform/database/tables.ts'

/** Queries for states that no concurrent requests may cause. */
const RULES = {
  'an organization without an owner': sql`
    select id from organizations
    where not exists (select from members where "organizationId" = organizations.id and role = 'owner')`,
  'a session of a banned user': sql`
    select sessions.id from sessions join users on users.id = "userId" where banned = 1 and "banExpires" is null`,
  'a session in an organization that its user is not in': sql`
    select id from sessions where "activeOrganizationId" is not null and not exists (
      select from members
      where members."organizationId" = sessions."activeOrganizationId" and members."userId" = sessions."userId")`,
  'a session at a client that was given an organization that its user is not in': sql`
    select id from "oauthGrants" as given where "organizationId" is not null and not exists (
      select from members
      where members."organizationId" = given."organizationId" and members."userId" = given."userId")`,
  'an impersonated session of staff': sql`
    select sessions.id from sessions join users on users.id = "userId"
    where "impersonatedBy" is not null and role <> 'user'`,
  'an impersonator who is not an administrator': sql`
    select sessions.id from sessions join users on users.id = "impersonatedBy" where role <> 'admin'`,
  'a finished impersonation without its audit event': sql`
    select id from "auditEvents" as started
    where action = 'impersonation.started'
    and not exists (select from sessions where sessions.id = started.details::json ->> 'sessionId')
    and not exists (
      select from "auditEvents" as ended
      where ended.action = 'impersonation.ended'
      and ended.details::json ->> 'sessionId' = started.details::json ->> 'sessionId')`,
}

/** PostgreSQL only. @returns each violated rule with the id of the row */
export async function listViolations(database: Kysely<Tables>): Promise<string[]> {
  const violations: string[] = []
  for (const [rule, query] of Object.entries(RULES)) {
    const { rows } = await sql<{ id: string }>`${query}`.execute(database)
    violations.push(...rows.map(({ id }) => `${rule}: ${id}`))
  }
  return violations
}
