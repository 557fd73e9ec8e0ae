import { useEffect, useRef } from 'react'
import { useCaller } from '../shared/api/caller.ts'
import { isStaff } from '../shared/api/is-staff.ts'
import { ServiceLinks } from '../shared/components/ServiceLinks.tsx'
import { SignOutButton } from '../shared/components/SignOutButton.tsx'
import { Wordmark } from '../shared/components/Wordmark.tsx'
import { OrganizationLinks } from './OrganizationLinks.tsx'
import { RailGroup } from './RailGroup.tsx'
import { ReceivedInvitations } from './ReceivedInvitations.tsx'
import { ACCOUNT_SECTIONS, STAFF_SECTIONS } from './sections.ts'
import { useAreInvitationsLoaded } from './use-are-links-loaded.ts'

export const RAIL_ID = 'navigation'
const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K'

/** The navigation: beside the page on a wide screen, a sheet (popover) on a narrow one. */
export function Rail({ onFind }: { onFind: () => void }) {
  const { user } = useCaller()
  const rail = useRef<HTMLElement>(null)

  useEffect(() => {
    const sheet = rail.current
    const closeAfterLink = ({ target }: Event) => {
      if (target instanceof Element && target.closest('a')) sheet?.hidePopover()
    }
    // The sheet would cover the focus. Its own button closes it by itself.
    const closeAfterFocus = ({ target }: Event) => {
      if (target instanceof Element && !target.closest(`#${RAIL_ID}, [popovertarget]`)) sheet?.hidePopover()
    }
    sheet?.addEventListener('click', closeAfterLink)
    addEventListener('focusin', closeAfterFocus)
    return () => {
      sheet?.removeEventListener('click', closeAfterLink)
      removeEventListener('focusin', closeAfterFocus)
    }
  }, [])

  return (
    <header ref={rail} id={RAIL_ID} className="rail" popover="auto">
      <Wordmark />
      <button type="button" className="button button-quiet palette-opener" onClick={onFind}>
        Go to… <kbd>{PALETTE_KEYS}</kbd>
      </button>
      <nav aria-label="Main">
        <RailGroup label="Your account" note={user.email} sections={ACCOUNT_SECTIONS} />
        <OrganizationLinks />
        <ReceivedInvitations />
        {isStaff(user) && <StaffLinks />}
      </nav>
      <div>
        <SignOutButton />
        <ServiceLinks />
      </div>
    </header>
  )
}

function StaffLinks() {
  return useAreInvitationsLoaded() ? <RailGroup label="Staff" sections={STAFF_SECTIONS} /> : null
}
