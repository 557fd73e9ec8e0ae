import type { ReactNode } from 'react'
import { useCaller } from '../../shared/api/caller.ts'
import { isStaff } from '../../shared/api/is-staff.ts'
import { AccountLink } from '../../shared/components/AccountLink.tsx'
import { FramePage } from '../../shared/components/FramePage.tsx'

/** Replaces a page of the staff for other users, also for a user who lost the role while the page was open. */
export function StaffOnly({ children }: { children: ReactNode }) {
  const { user } = useCaller()
  if (isStaff(user)) return children
  return (
    <FramePage heading="This page is for staff">
      <section className="card" aria-label="Staff only">
        <p>
          Only support and administrators of this service can open it, and <strong>{user.email}</strong> is neither. If
          you need it, ask an administrator for the role.
        </p>
        <AccountLink />
      </section>
    </FramePage>
  )
}
