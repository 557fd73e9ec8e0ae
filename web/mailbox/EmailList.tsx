import { moment } from '../shared/format/moment.ts'
import type { Email } from './emails-query.ts'

type EmailListProps = { emails: Email[]; shownId: string; onChoose: (id: string) => void }

export function EmailList({ emails, shownId, onChoose }: EmailListProps) {
  return (
    <ul className="emails" aria-label="Emails, newest first">
      {emails.map((email) => (
        <li key={email.id}>
          <button type="button" aria-current={email.id === shownId} onClick={() => onChoose(email.id)}>
            <span className="email-subject">{email.subject}</span>
            <span className="soft">{email.to}</span>
            <span className="soft">{moment(new Date(email.createdAt))}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
