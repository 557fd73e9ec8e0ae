import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { lettersQuery } from '../api/queries.ts'
import { FailureNotice } from '../components/FailureNotice.tsx'
import { Heading } from '../components/Heading.tsx'
import { LetterList } from '../components/LetterList.tsx'
import { LetterPane } from '../components/LetterPane.tsx'
import { Loading } from '../components/Loading.tsx'
import { Wordmark } from '../components/Wordmark.tsx'

export function Mailbox() {
  const { data: letters, error, isPending } = useQuery(lettersQuery)
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
            <LetterList letters={letters} shownId={shown.id} onChoose={setChosenId} />
            <LetterPane key={shown.id} letter={shown} />
          </div>
        )}
      </main>
    </div>
  )
}
