import { useState } from 'react'
import { moment } from '../shared/format/moment.ts'
import type { Email } from './emails-query.ts'

// Scripts stay off, but links must work as in a mail program.
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation'

export function EmailPane({ email }: { email: Email }) {
  const [isPlain, setPlain] = useState(false)
  return (
    <article className="card email" aria-label={email.subject}>
      <header>
        <h2>{email.subject}</h2>
        <p className="soft">
          To {email.to}, {moment(new Date(email.createdAt))}
        </p>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form */}
        <div className="choices" role="group" aria-label="View">
          <button type="button" aria-pressed={!isPlain} onClick={() => setPlain(false)}>
            Formatted
          </button>
          <button type="button" aria-pressed={isPlain} onClick={() => setPlain(true)}>
            Plain text
          </button>
        </div>
      </header>
      {isPlain ? (
        <pre>{email.text}</pre>
      ) : (
        <iframe
          title={email.subject}
          sandbox={SANDBOX}
          src={`/dev/mailbox/emails/${encodeURIComponent(email.id)}.html`}
        />
      )}
    </article>
  )
}
