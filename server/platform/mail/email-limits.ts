import type { Kysely } from 'kysely'
import { hashToken } from '../crypto/tokens.ts'
import type { Tables } from '../database/tables.ts'

const HOUR_MILLISECONDS = 3_600_000
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS

/** Emails of one kind to one recipient in an hour, so that a form can't fill a mailbox. */
const EMAILS_PER_HOUR = 5

/**
 * Counts the emails of one kind to a recipient. The lock keeps the count exact until the end of the transaction.
 * @returns milliseconds until the next email is allowed; 0 when it is allowed now
 */
export async function lockRecipientLimit(
  transaction: Kysely<Tables>,
  now: number,
  { recipient, kind }: { recipient: string; kind: string },
): Promise<number> {
  await transaction
    .insertInto('emailLimits')
    .values({ key: hashToken(`${kind} ${recipient}`), usedAt: now })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ usedAt: now }))
    .execute()
  const emails = transaction.selectFrom('outbox').where('recipient', '=', recipient).where('kind', '=', kind)
  const oldest = await emails
    .select('createdAt')
    .where('createdAt', '>', now - HOUR_MILLISECONDS)
    // Emails with a later time come from a clock that was ahead, and must not count.
    .where('createdAt', '<', now + HOUR_MILLISECONDS)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .offset(EMAILS_PER_HOUR - 1)
    .executeTakeFirst()
  return oldest ? oldest.createdAt + HOUR_MILLISECONDS - now : 0
}

/**
 * Counts the invitations of an organization within a day. The caller has locked the organization.
 * @returns milliseconds until the next invitation is allowed; 0 when it is allowed now
 */
export async function waitForInvitation(
  transaction: Kysely<Tables>,
  now: number,
  organizationId: string,
  invitationsPerDay: number,
): Promise<number> {
  const oldest = await transaction
    .selectFrom('outbox')
    .select('createdAt')
    .where('organizationId', '=', organizationId)
    .where('createdAt', '>', now - DAY_MILLISECONDS)
    .where('createdAt', '<', now + DAY_MILLISECONDS)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .offset(invitationsPerDay - 1)
    .executeTakeFirst()
  return oldest ? oldest.createdAt + DAY_MILLISECONDS - now : 0
}

/** Deletes some of the unused locks. @returns the count */
export async function deleteUnusedLimits(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('emailLimits')
    .where('key', 'in', (limits) =>
      limits
        .selectFrom('emailLimits')
        .select('key')
        .where('usedAt', '<=', now - HOUR_MILLISECONDS)
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
