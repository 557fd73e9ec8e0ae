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
  const { data: letters, error, isPending } = useQuery(emailsQuery)
  const [chosenId, setChosenId] = useState<string | null>(null)
  const shown = letters?.find((letter) => letter.id === chosenId) ?? letters?.[0]

  return (
    <div className="page page-full">
      <header className="page-header">
        <Wordmark />
      </header>
      <main>
        <Heading>Mailbox</Heading>
        <p className="lead">Letters that this service would send. They stay on this machine, for development.</p>
        {isPending && <Loading />}
        {error && <FailureNotice error={error} />}
        {letters?.length === 0 && <p className="card soft">No letters yet. They appear here by themselves.</p>}
        {letters && shown && (
          <div className="mailbox">
            <EmailList letters={letters} shownId={shown.id} onChoose={setChosenId} />
            <EmailPane key={shown.id} letter={shown} />
          </div>
        )}
      </main>
    </div>
  )
}
