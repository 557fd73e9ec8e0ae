import type { ReactNode } from 'react'

/**
 * The notice of a success, if there is one. A form has the empty region before, because screen readers announce only a
 * change of a region.
 */
export function DoneNotice({ children }: { children: ReactNode }) {
  return (
    <div className={children ? 'notice notice-success' : 'empty-region'} role="status">
      {children}
    </div>
  )
}
