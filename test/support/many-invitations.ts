import { sql } from 'kysely'
import type { InvitationStatus } from '../../server/platform/database/tables.ts'
import { withNumbers } from './numbers.ts'
import type { Service } from './service.ts'

interface TestInvitations {
  status: InvitationStatus
  expiresAt: number
  inviterId?: string
}

/** Inserts invitations of the same status and expiry, by default canceled ones. */
export async function insertTestInvitations(
  { context }: Service,
  organizationId: string,
  count: number,
  { status, expiresAt, inviterId = 'usr' }: TestInvitations = { status: 'canceled', expiresAt: 1 },
): Promise<void> {
  const prefix = `${organizationId}-${status}-${expiresAt}-`
  await sql`insert into invitations (id, "organizationId", email, role, "inviterId", status, "secretHash", "createdAt", "expiresAt")
    ${withNumbers(1, count)}
    select ${prefix} || n, ${organizationId}, ${prefix} || n || '@example.com', 'member', ${inviterId}, ${status}, '', 1, ${sql.lit(expiresAt)}
    from numbers`.execute(context.database)
}
