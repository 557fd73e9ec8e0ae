import { useState } from 'react'
import { moment } from '../shared/format/moment.ts'
import type { Email } from './emails-query.ts'

// No scripts; but its links must work as they would in a mail program.
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation'

export function EmailPane({ letter }: { letter: Email }) {
  const [isPlain, setPlain] = useState(false)
  return (
    <article className="card letter" aria-label={letter.subject}>
      <header>
        <h2>{letter.subject}</h2>
        <p className="soft">
          To {letter.to}, {moment(new Date(letter.createdAt))}
        </p>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form */}
        <div className="choices" role="group" aria-label="View">
          <button type="button" aria-pressed={!isPlain} onClick={() => setPlain(false)}>
            Letter
          </button>
          <button type="button" aria-pressed={isPlain} onClick={() => setPlain(true)}>
            Plain text
          </button>
        </div>
      </header>
      {isPlain ? (
        <pre>{letter.text}</pre>
      ) : (
        <iframe
          title={letter.subject}
          sandbox={SANDBOX}
          src={`/dev/mailbox/letters/${encodeURIComponent(letter.id)}.html`}
        />
      )}
    </article>
  )
}
