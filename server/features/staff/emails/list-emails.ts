import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import { getUser } from '../../../core/users/find-user.ts'
import { type Page, readUncountedPage } from '../../../platform/http/paging.ts'
import { toIso, toIsoOrNull } from '../../../platform/http/time.ts'
import { type EmailFilter, type ListedEmail, listEmails } from '../../../platform/mail/list-emails.ts'
import type { ListEmailsResponse } from './schemas.ts'

type ResponseBody = Static<typeof ListEmailsResponse>

export async function readEmailPage(
  { slowReads, now }: Context,
  filter: EmailFilter,
  page: Page,
): Promise<ResponseBody> {
  const { rows, hasMore } = await readUncountedPage(page, (more) => listEmails(slowReads, now(), filter, more))
  return { emails: rows.map(toListedEmail), ...page, hasMore }
}

/** The emails to the current email address of a user. @throws ApiError USER_NOT_FOUND */
export async function listUserEmails(context: Context, userId: string, page: Page): Promise<ResponseBody> {
  const user = await getUser(context.database, userId)
  return readEmailPage(context, { recipient: user.email }, page)
}

function toListedEmail(email: ListedEmail): ResponseBody['emails'][number] {
  const isDone = email.sentAt !== null || email.failedAt !== null
  return {
    ...email,
    createdAt: toIso(email.createdAt),
    lastAttemptAt: toIsoOrNull(email.lastAttemptAt),
    nextAttemptAt: isDone ? null : toIso(email.nextAttemptAt),
    sentAt: toIsoOrNull(email.sentAt),
    failedAt: toIsoOrNull(email.failedAt),
  }
}
