import { EmailList, type EmailPage, hasQueuedEmail } from '../common/EmailList.tsx'
import { usePage } from '../common/use-page.ts'
import type { StaffUser } from './queries.ts'

export function Emails({ user: { id } }: { user: StaffUser }) {
  return <EmailList {...usePage<EmailPage>('list-user-emails', { userId: id }, hasQueuedEmail)} />
}
