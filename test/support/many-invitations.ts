import { sql } from 'kysely'
import type { InvitationStatus } from '../../server/platform/database/tables.ts'
import type { Service } from './service.ts'

/** Inserts invitations of the same status and expiry, by default canceled ones. */
export async function insertTestInvitations(
  { context }: Service,
  organizationId: string,
  count: number,
  { status, expiresAt }: { status: InvitationStatus; expiresAt: number } = { status: 'canceled', expiresAt: 1 },
): Promise<void> {
  const prefix = `${organizationId}-${status}-${expiresAt}-`
  await sql`insert into invitations (id, "organizationId", email, role, "inviterId", status, "secretHash", "createdAt", "expiresAt")
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})
    select ${prefix} || n, ${organizationId}, ${prefix} || n || '@example.com', 'member', 'usr', ${status}, '', 1, ${sql.lit(expiresAt)}
    from numbers`.execute(context.database)
}
