import type { ReactNode } from 'react'

/** The notice of a success, if there is one. Its region is always there: screen readers announce only a change of it. */
export function DoneNotice({ children }: { children: ReactNode }) {
  return (
    <div className={children ? 'notice notice-success' : 'no-notice'} role="status">
      {children}
    </div>
  )
}
