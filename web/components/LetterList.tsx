import type { Letter } from '../api/own-endpoints.ts'
import { moment } from '../words/moment.ts'

type LetterListProps = { letters: Letter[]; shownId: string; onChoose: (id: string) => void }

export function LetterList({ letters, shownId, onChoose }: LetterListProps) {
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
