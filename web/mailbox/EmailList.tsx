import { moment } from '../shared/format/moment.ts'
import type { Email } from './emails-query.ts'

type EmailListProps = { letters: Email[]; shownId: string; onChoose: (id: string) => void }

export function EmailList({ letters, shownId, onChoose }: EmailListProps) {
  return (
    <ul className="letters" aria-label="Letters, newest first">
      {letters.map((letter) => (
        <li key={letter.id}>
          <button type="button" aria-current={letter.id === shownId} onClick={() => onChoose(letter.id)}>
            <span className="letter-subject">{letter.subject}</span>
            <span className="soft">{letter.to}</span>
            <span className="soft">{moment(new Date(letter.createdAt))}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
