import { Component, type ReactNode } from 'react'
import { Heading } from './Heading.tsx'
import { Notice } from './Notice.tsx'

type ChunkBoundaryProps = { children: ReactNode }

/** Explains a page whose code could not be loaded: the browser is offline, or a new release has replaced the file. */
export class ChunkBoundary extends Component<ChunkBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <FailedChunk /> : this.props.children
  }
}

function FailedChunk() {
  return (
    <div className="page">
      <div className="card">
        <Heading>This page could not be loaded</Heading>
        <Notice kind="problem">
          <p>Your connection may be down, or the service was updated a moment ago. Load the page again.</p>
          <button type="button" className="text-button" onClick={() => location.reload()}>
            Load the page again
          </button>
        </Notice>
      </div>
    </div>
  )
}
