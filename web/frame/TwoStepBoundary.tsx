import { Component, lazy, type ReactNode, Suspense } from 'react'
import { loadChunk } from '../shared/api/load-chunk.ts'
import { isTwoStepRequired, queryClient } from '../shared/api/queries.ts'
import { Skeleton } from '../shared/components/Skeleton.tsx'

const TwoStepRequired = lazy(async () => {
  const chunk = await loadChunk(() => import('./TwoStepRequired.tsx'))
  return { default: chunk.TwoStepRequired }
})

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
    return (
      <Suspense fallback={<Skeleton lines={6} />}>
        <TwoStepRequired onVerified={() => this.setState({ error: null })} />
      </Suspense>
    )
  }
}
