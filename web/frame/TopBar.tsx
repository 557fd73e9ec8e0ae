import { useReceivedInvitations } from '../shared/api/use-received-invitations.ts'
import { Wordmark } from '../shared/components/Wordmark.tsx'
import { counted } from '../shared/format/number.ts'
import { RAIL_ID } from './Rail.tsx'

/** On a narrow screen it opens the navigation. */
export function TopBar() {
  const { length } = useReceivedInvitations()
  return (
    <header className="top-bar">
      <Wordmark />
      <button type="button" className="button button-quiet" popoverTarget={RAIL_ID}>
        Menu
        {length > 0 && <span className="badge badge-good">{counted(length, 'invitation')}</span>}
      </button>
    </header>
  )
}
