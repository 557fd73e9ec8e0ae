import { useIsConnected } from '../shared/api/connection.ts'
import { refreshPages } from '../shared/api/queries.ts'

/** The region is always there, because screen readers announce only a change of it. */
export function OfflineBar() {
  const isConnected = useIsConnected()
  return (
    <div role="status">
      {!isConnected && (
        <div className="offline-bar">
          <p>You are offline, or the service can’t be reached. Nothing is sent until you try again.</p>
          <button type="button" className="text-button" onClick={refreshPages}>
            Check the connection
          </button>
        </div>
      )}
    </div>
  )
}
