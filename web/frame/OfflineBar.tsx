import { useLayoutEffect, useRef } from 'react'
import { useIsConnected } from '../shared/api/connection.ts'
import { refreshPages } from '../shared/api/queries.ts'

/** The region is always there, because screen readers announce only a change of it. */
export function OfflineBar() {
  const isConnected = useIsConnected()
  return (
    <div className="offline" role="status">
      {!isConnected && <Bar />}
    </div>
  )
}

function Bar() {
  const bar = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => publishHeight(bar.current!), [])
  return (
    <div ref={bar} className="offline-bar">
      <p>You are offline, or the service can’t be reached. Nothing is sent until you try again.</p>
      <button type="button" className="text-button" onClick={refreshPages}>
        Check the connection
      </button>
    </div>
  )
}

/** Other sticky parts are placed below the bar, whose height depends on its text and on the width of the page. */
function publishHeight(bar: HTMLElement): () => void {
  const { style } = document.documentElement
  const publish = () => style.setProperty('--offline-bar-height', `${bar.offsetHeight}px`)
  publish()
  const observer = new ResizeObserver(publish)
  observer.observe(bar)
  return () => {
    observer.disconnect()
    style.removeProperty('--offline-bar-height')
  }
}
