import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Redirect } from 'wouter'
import { type Caller, sessionQuery } from '../shared/api/queries.ts'
import { RequestFailed } from '../shared/api/request-failed.ts'
import { Loading } from '../shared/components/Loading.tsx'
import { Page } from '../shared/components/Page.tsx'
import { InteractionProblem } from '../shared/interaction/InteractionProblem.tsx'
import { type Interaction, useInteraction } from '../shared/interaction/interaction.ts'

type InteractionPageProps = {
  heading: string
  children: (interaction: Interaction, caller: Caller) => ReactNode
}

const NO_INTERACTION = new RequestFailed({ status: 404, code: 'INTERACTION_NOT_FOUND', message: '' })

/** Loads what the app waits for. A browser that is not signed in goes to sign in first, and the app leads back here. */
export function InteractionPage({ heading, children }: InteractionPageProps) {
  const session = useQuery(sessionQuery)
  const interaction = useInteraction()
  const error = interaction.error ?? session.error

  if (interaction.id === null) return <InteractionProblem error={NO_INTERACTION} retry={interaction.refetch} />
  if (error)
    return <InteractionProblem error={error} retry={() => Promise.all([session.refetch(), interaction.refetch()])} />
  if (session.data === undefined || !interaction.data) {
    return (
      <Page heading={heading}>
        <Loading />
      </Page>
    )
  }
  if (session.data === null) return <Redirect to="/sign-in" replace />
  return children(interaction.data, session.data)
}
