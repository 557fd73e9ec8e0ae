import type { Kysely } from 'kysely'
import type { PlatformContext } from '../context.ts'
import { newId } from '../crypto/tokens.ts'
import { compileOnce, RESULT_UNUSED } from '../database/compile-once.ts'
import type { OutboxRow, Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { discardedFor } from './discarded-emails.ts'
import type { Email, EmailKind } from './email.ts'
import { isOfKind } from './email-kind.ts'
import { lockRecipientLimit } from './email-limits.ts'
import { renderEmail } from './render-email.ts'

/** An email whose text is encrypted, because its link is a credential. */
export type PreparedEmail = Pick<Email, 'kind' | 'recipient' | 'subjectId' | 'organizationId' | 'priority'> & {
  encryptedEmail: string
}

/** Called before the transaction, which must not wait for rendering and encryption. */
export function prepareEmail(
  { keyring, config }: Pick<PlatformContext, 'keyring' | 'config'>,
  email: Email,
): PreparedEmail {
  const { kind, recipient, subjectId, organizationId, priority } = email
  const about = { ...(subjectId && { subjectId }), ...(organizationId && { organizationId }) }
  const encryptedEmail = keyring.encrypt('letter', JSON.stringify(renderEmail(email, config)))
  return { kind, recipient, ...about, ...(priority && { priority }), encryptedEmail }
}

interface Cause {
  transaction: Kysely<Tables>
  context: PlatformContext
}

/** Transactional outbox: the email is inserted in the transaction that causes it. @returns the email's id */
export function sendEmail(cause: Cause, email: PreparedEmail): Promise<string> {
  return insertEmail(cause, email, null)
}

/** For a public form: response and time must not show whether the email address is known. */
export async function sendEmailIfKnown(cause: Cause, email: PreparedEmail, isKnown: boolean): Promise<void> {
  const waitMilliseconds = await lockRecipientLimit(cause.transaction, cause.context.now(), email)
  if (isKnown && waitMilliseconds === 0) await sendEmail(cause, email)
  else await insertEmail(cause, { ...email, recipient: '' }, 'no recipient: the address is unknown or over its limit')
}

/** For an email that a user requests. @throws ApiError TOO_MANY_REQUESTS when the recipient's limit is reached */
export async function sendEmailOrRefuse(cause: Cause, email: PreparedEmail): Promise<string> {
  const waitMilliseconds = await lockRecipientLimit(cause.transaction, cause.context.now(), email)
  if (waitMilliseconds > 0) throw tooManyEmails(waitMilliseconds)
  return sendEmail(cause, email)
}

export function tooManyEmails(waitMilliseconds: number, field?: string): ApiError {
  return new ApiError('TOO_MANY_REQUESTS', {
    message: 'We have sent several of these emails already. Wait a little and try again.',
    retryAfterSeconds: Math.ceil(waitMilliseconds / 1000),
    ...(field !== undefined && { field }),
  })
}

export async function sendEmails({ transaction, context }: Cause, emails: PreparedEmail[]): Promise<void> {
  if (emails.length === 0) return
  const rows = emails.map((email) => toRow(context, email, null))
  await transaction.insertInto('outbox').values(rows).execute()
}

/** For a notice that may repeat: above the recipient's limit nothing is sent. */
export async function sendEmailUnlessLimited(cause: Cause, email: PreparedEmail): Promise<void> {
  if ((await lockRecipientLimit(cause.transaction, cause.context.now(), email)) === 0) await sendEmail(cause, email)
}

/** For a notice that `deleteWaitingEmail` may take back. @returns the id; undefined above the recipient's limit */
export async function sendEmailLaterUnlessLimited(
  cause: Cause,
  email: PreparedEmail,
  delayMilliseconds: number,
): Promise<string | undefined> {
  if ((await lockRecipientLimit(cause.transaction, cause.context.now(), email)) > 0) return undefined
  return insertEmail(cause, email, null, delayMilliseconds)
}

/** Whether the time of an email from `sendEmailLaterUnlessLimited` has not come yet. */
export async function isStillWaiting(transaction: Kysely<Tables>, now: number, id: string): Promise<boolean> {
  const waiting = transaction.selectFrom('outbox').select('id').where('id', '=', id).where('createdAt', '>', now)
  return (await waiting.where('sentAt', 'is', null).executeTakeFirst()) !== undefined
}

export async function deleteWaitingEmail(transaction: Kysely<Tables>, id: string): Promise<void> {
  await transaction.deleteFrom('outbox').where('id', '=', id).where('sentAt', 'is', null).execute()
}

async function insertEmail(
  { transaction, context }: Cause,
  email: PreparedEmail,
  discardReason: string | null,
  delayMilliseconds = 0,
): Promise<string> {
  const row = toRow(context, email, discardReason, delayMilliseconds)
  await insertRow(transaction, row)
  return row.id
}

const insertRow = compileOnce((database, row: OutboxRow) => database.insertInto('outbox').values(row), RESULT_UNUSED)

function toRow(
  context: PlatformContext,
  { kind, recipient, subjectId, organizationId, priority, encryptedEmail }: PreparedEmail,
  discardReason: string | null,
  delayMilliseconds = 0,
): OutboxRow {
  // With the time of the request, statistics would take the wait of an email that is sent later for a delay.
  const dueAt = context.now() + delayMilliseconds
  return {
    id: newId('eml', context),
    kind,
    recipient,
    subjectId: subjectId ?? null,
    organizationId: organizationId ?? null,
    priority: priority === 'low' ? 1 : 0,
    encryptedEmail: discardReason === null ? encryptedEmail : null,
    createdAt: dueAt,
    attempts: 0,
    lastAttemptAt: null,
    nextAttemptAt: dueAt,
    leasedUntil: null,
    sentAt: null,
    failedAt: discardReason === null ? null : dueAt,
    lastError: discardReason,
  }
}

/** Kinds whose subject is a user. Those about a change of the email address go to the former or the new one. */
const ABOUT_USERS: EmailKind[] = [
  'change email',
  'email change requested',
  'email changed',
  'email set by staff',
  'sign-in not finished',
]

/** Includes emails about the user to other addresses. Invitations stay, because their address may sign up again. */
export async function deleteUnsentEmails(
  database: Kysely<Tables>,
  { id, email }: { id: string; email: string },
): Promise<void> {
  await database
    .deleteFrom('outbox')
    .where((where) =>
      where.or([
        where('recipient', '=', email),
        where.and([where('subjectId', '=', id), where.or(ABOUT_USERS.map((kind) => isOfKind(kind)))]),
      ]),
    )
    .where('organizationId', 'is', null)
    .where('sentAt', 'is', null)
    .execute()
}

const ENDED = 'the invitation ended or was sent again, or its inviter may no longer invite'

function discardBy(column: 'subjectId' | 'organizationId') {
  const giveUp = compileOnce(
    (database, { ids, now }: { ids: string[]; now: number }) =>
      database
        .updateTable('outbox')
        .set(discardedFor(ENDED, now))
        .where(column, 'in', ids)
        .where(isOfKind('invitation'))
        .where('sentAt', 'is', null)
        .where('failedAt', 'is', null),
    RESULT_UNUSED,
  )
  const deleteTexts = compileOnce(
    (database, { ids }: { ids: string[] }) =>
      database
        .updateTable('outbox')
        .set({ encryptedEmail: null })
        .where(column, 'in', ids)
        .where(isOfKind('invitation'))
        .where('encryptedEmail', 'is not', null),
    RESULT_UNUSED,
  )
  return async (transaction: Kysely<Tables>, now: number, ids: string[]): Promise<void> => {
    if (ids.length === 0) return
    // The deletion of the texts waits for a concurrent retry of a failed email, which is then given up as a waiting one.
    await deleteTexts(transaction, { ids })
    await giveUp(transaction, { ids, now })
  }
}

/** A retry must not send a discarded email. The row stays, because the limit of the organization counts it. */
export const discardInvitationEmails = discardBy('subjectId')

/** Notices about the organizations are still sent. */
export const discardEmailsOfOrganizations = discardBy('organizationId')

/** Deletes the texts, so that no failed email can be sent again. @returns the number of emails */
export async function discardEmails(transaction: Kysely<Tables>, now: number, reason: string): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable('outbox')
    .set({ ...discardedFor(reason, now), leasedUntil: null })
    .where('sentAt', 'is', null)
    .where('failedAt', 'is', null)
    .executeTakeFirstOrThrow()
  await transaction
    .updateTable('outbox')
    .set({ encryptedEmail: null })
    .where('encryptedEmail', 'is not', null)
    .execute()
  return Number(numUpdatedRows)
}
