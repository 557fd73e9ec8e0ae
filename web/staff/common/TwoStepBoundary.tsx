import type { Query } from '@tanstack/react-query'
import { Component, type ReactNode } from 'react'
import { isTwoStepRequired, queryClient } from '../../shared/api/queries.ts'
import { clientsQuery } from '../../shared/oauth-clients/clients.ts'
import { TwoStepRequired } from './TwoStepRequired.tsx'

// The boundary replaces the whole page, because every part of the page requires two-step verification.
for (const queryKey of [['staff'], clientsQuery({ ownedBy: 'service' }).queryKey])
  queryClient.setQueryDefaults(queryKey, { throwOnError: isMissingTwoStep })

/** A page that is shown already may show a new secret, which no other page shows. */
function isMissingTwoStep(error: Error, { state }: Query): boolean {
  return isTwoStepRequired(error) && state.data === undefined
}

type State = { error: Error | null }

/** Replaces a page whose content requires two-step verification. */
export class TwoStepBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null }

  static getDerivedStateFromError(error: Error): State {
    return { error }
  }

  /** The next visit asks the service again. */
  override componentDidCatch(): void {
    queryClient.removeQueries({ predicate: ({ state }) => isTwoStepRequired(state.error) })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    if (!isTwoStepRequired(error)) throw error
    return <TwoStepRequired onVerified={() => this.setState({ error: null })} />
  }
}
