import type { ComponentType } from 'react'
import { StaffOnly } from './StaffOnly.tsx'
import { TwoStepBoundary } from './TwoStepBoundary.tsx'

/** A page that asks for the role, and for two-step verification where a policy requires it. */
export function forStaff(Page: ComponentType): ComponentType {
  return () => (
    <StaffOnly>
      <TwoStepBoundary>
        <Page />
      </TwoStepBoundary>
    </StaffOnly>
  )
}
