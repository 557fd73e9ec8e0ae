import './mailbox.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Heading } from '../shared/components/Heading.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { Wordmark } from '../shared/components/Wordmark.tsx'
import { EmailList } from './EmailList.tsx'
import { EmailPane } from './EmailPane.tsx'
import { emailsQuery } from './emails-query.ts'

export function Mailbox() {
  const { data: emails, error, isPending } = useQuery(emailsQuery)
  const [chosenId, setChosenId] = useState<string | null>(null)
  const shown = emails?.find((email) => email.id === chosenId) ?? emails?.[0]
  // A newer email must not replace the one that the user reads.
  if (shown && shown.id !== chosenId) setChosenId(shown.id)

  return (
    <div className="page page-sections page-full">
      <header>
        <Wordmark />
      </header>
      <main>
        <Heading>Mailbox</Heading>
        <p className="lead">Emails that this service would send. They stay on this machine, for development.</p>
        {isPending && <Loading />}
        {error && <FailureNotice error={error} />}
        {emails?.length === 0 && <p className="card soft">No emails yet. New ones appear here on their own.</p>}
        {emails && shown && (
          <div className="mailbox">
            <EmailList emails={emails} shownId={shown.id} onChoose={setChosenId} />
            <EmailPane key={shown.id} email={shown} />
          </div>
        )}
      </main>
    </div>
  )
}
