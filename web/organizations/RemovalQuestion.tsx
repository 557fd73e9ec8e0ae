import type { ReactNode } from 'react'

/** Says what ends with a membership. */
export function RemovalQuestion({ organizationName, children }: { organizationName: string; children: ReactNode }) {
  return (
    <>
      {children} Access to {organizationName} ends at once; tokens that services already have expire within 15 minutes.
      Open invitations from a removed member stop working until they are sent again. The account stays.
    </>
  )
}
