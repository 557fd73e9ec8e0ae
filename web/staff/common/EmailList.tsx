import type { Static } from 'typebox'
import type { ListEmailsResponse } from '../../../server/features/staff/emails/schemas.ts'
import { breakAfterAt } from '../../shared/components/break-after-at.tsx'
import { type Column, DataTable } from '../../shared/components/DataTable.tsx'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { moment } from '../../shared/format/moment.ts'
import { emailKind } from './email-kinds.ts'
import { RetryEmail } from './RetryEmail.tsx'
import type { ListProps } from './use-page.ts'

export type EmailPage = Static<typeof ListEmailsResponse>
export type Email = EmailPage['emails'][number]

export function hasQueuedEmail({ emails }: EmailPage): boolean {
  return emails.some(({ status }) => status === 'queued')
}

/** Emails with the last response of the mail server, or why there is none. */
export function EmailList({ page, offset, limit, ...table }: ListProps<EmailPage>) {
  return (
    <DataTable
      caption="Emails"
      columns={COLUMNS}
      rows={page?.emails}
      rowKey={({ id }) => id}
      page={{ offset, limit, hasMore: page?.hasMore }}
      empty={
        <EmptyState title="No such emails">
          <p className="soft">Emails are listed for 90 days, by the whole address.</p>
        </EmptyState>
      }
      {...table}
    />
  )
}

const COLUMNS: Column<Email>[] = [
  { key: 'createdAt', label: 'Written', isShort: true, cell: ({ createdAt }) => moment(new Date(createdAt)) },
  { key: 'recipient', label: 'Email', cell: (email) => <Subject email={email} /> },
  { key: 'status', label: 'State', cell: (email) => <EmailState email={email} /> },
  { key: 'answer', label: 'What happened', cell: ({ answer }) => answer ?? 'Nothing yet' },
  { key: 'retry', label: 'Send again', isShort: true, cell: (email) => <RetryEmail email={email} /> },
]

function Subject({ email: { recipient, kind } }: { email: Email }) {
  return (
    <>
      <p>{breakAfterAt(recipient)}</p>
      <p className="soft">{emailKind(kind)}</p>
    </>
  )
}

function EmailState({ email: { status, sentAt, failedAt, nextAttemptAt } }: { email: Email }) {
  if (status === 'sent') return <span className="badge badge-good">Sent {moment(new Date(sentAt!))}</span>
  if (status === 'failed') return <span className="badge badge-bad">Failed {moment(new Date(failedAt!))}</span>
  if (status === 'discarded') return <span className="badge">Not sent</span>
  if (status === 'queued') return <span className="badge badge-open">Waiting to be sent</span>
  return <span className="badge badge-open">Delayed, next try {moment(new Date(nextAttemptAt!))}</span>
}
