import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Redirect } from 'wouter'
import { type Caller, sessionQuery } from '../shared/api/queries.ts'
import { Loading } from '../shared/components/Loading.tsx'
import { Page } from '../shared/components/Page.tsx'
import { InteractionProblem, UnknownInteraction } from '../shared/interaction/InteractionProblem.tsx'
import { type Interaction, useInteraction } from '../shared/interaction/interaction.ts'

type InteractionPageProps = {
  heading: string
  children: (interaction: Interaction, caller: Caller) => ReactNode
}

/** A browser without a session goes to sign-in first, and the app leads back here. */
export function InteractionPage({ heading, children }: InteractionPageProps) {
  const session = useQuery(sessionQuery)
  const interaction = useInteraction()
  // A later failure must not replace a shown page: it may show recovery codes, which no other page shows.
  const isShown = interaction.data !== undefined && session.data !== undefined
  const error = isShown ? null : (interaction.error ?? session.error)

  if (interaction.id === null) return <UnknownInteraction />
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
