import type { Kysely } from 'kysely'
import type { PlatformContext } from '../context.ts'
import { newId } from '../crypto/tokens.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { type Email, renderEmail } from './email.ts'
import { lockRecipientLimit } from './email-limits.ts'

/**
 * Puts a letter into the outbox, in the transaction of what caused it: there is no letter without its cause and no
 * cause without its letter. It is sealed, because its link opens something.
 * @returns the letter's id
 */
export function enqueueEmail(transaction: Kysely<Tables>, context: PlatformContext, email: Email): Promise<string> {
  return insertEmail(transaction, context, email, null)
}

/**
 * For a form that anyone can send: enqueues the email if the address is known and the recipient's limit allows it.
 * Otherwise it takes the same steps and sends nothing, so that neither answer nor time tells whether an address is known.
 */
export async function enqueueIfKnown(
  transaction: Kysely<Tables>,
  context: PlatformContext,
  email: Email,
  isKnown: boolean,
): Promise<void> {
  const waitMilliseconds = await lockRecipientLimit(transaction, context.now(), email)
  if (isKnown && waitMilliseconds === 0) await enqueueEmail(transaction, context, email)
  else await insertEmail(transaction, context, { ...email, recipient: '' }, 'there is nobody to send it to')
}

/** For what a user has sent to a known recipient. @throws ApiError TOO_MANY_REQUESTS when the recipient's limit is reached */
export async function enqueueWithinLimit(
  transaction: Kysely<Tables>,
  context: PlatformContext,
  email: Email,
): Promise<string> {
  const waitMilliseconds = await lockRecipientLimit(transaction, context.now(), email)
  if (waitMilliseconds > 0) {
    throw new ApiError('TOO_MANY_REQUESTS', {
      message: 'We have sent several of these emails to this address already. Wait a little and try again.',
      retryAfterSeconds: Math.ceil(waitMilliseconds / 1000),
    })
  }
  return enqueueEmail(transaction, context, email)
}

async function insertEmail(
  transaction: Kysely<Tables>,
  context: PlatformContext,
  email: Email,
  discardReason: string | null,
): Promise<string> {
  const id = newId('let', context)
  const now = context.now()
  const encryptedEmail = context.keyring.encrypt('letter', JSON.stringify(renderEmail(email)))
  await transaction
    .insertInto('outbox')
    .values({
      id,
      kind: email.kind,
      recipient: email.recipient,
      subjectId: email.subjectId ?? null,
      organizationId: email.organizationId ?? null,
      priority: email.priority === 'low' ? 1 : 0,
      encryptedEmail: discardReason === null ? encryptedEmail : null,
      createdAt: now,
      attempts: 0,
      lastAttemptAt: null,
      nextAttemptAt: now,
      leasedUntil: null,
      sentAt: null,
      failedAt: discardReason === null ? null : now,
      lastError: discardReason,
    })
    .execute()
  return id
}

/** Takes back what has not been sent to an address yet. */
export async function deleteUnsentEmails(database: Kysely<Tables>, recipient: string): Promise<void> {
  await database.deleteFrom('outbox').where('recipient', '=', recipient).where('sentAt', 'is', null).execute()
}
