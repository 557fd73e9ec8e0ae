import { Component, type ReactNode } from 'react'
import { Heading } from './Heading.tsx'
import { Notice } from './Notice.tsx'

type ChunkBoundaryProps = {
  /** After a failure, another path shows its own page. */
  path?: string
  fallback?: ReactNode
  children: ReactNode
}

export const FAILED_CHUNK = {
  heading: 'This page could not be loaded',
  advice: 'Your connection may be down, or the service was updated a moment ago. Load the page again.',
  remedy: 'Load the page again',
}

/** Explains a page whose code could not be loaded: the browser is offline, or a new release has replaced the file. */
export class ChunkBoundary extends Component<ChunkBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override componentDidUpdate({ path }: ChunkBoundaryProps): void {
    if (this.state.hasFailed && path !== this.props.path) this.setState({ hasFailed: false })
  }

  override render(): ReactNode {
    const { fallback = <FailedChunk />, children } = this.props
    return this.state.hasFailed ? fallback : children
  }
}

function FailedChunk() {
  return (
    <div className="page">
      <div className="card">
        <Heading>{FAILED_CHUNK.heading}</Heading>
        <Notice kind="problem">
          <p>{FAILED_CHUNK.advice}</p>
          <button type="button" className="text-button" onClick={() => location.reload()}>
            {FAILED_CHUNK.remedy}
          </button>
        </Notice>
      </div>
    </div>
  )
}
