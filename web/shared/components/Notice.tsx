import type { ReactNode } from 'react'

type NoticeProps = { kind: 'information' | 'success' | 'problem'; children: ReactNode }

/** A problem interrupts a screen reader; other notices wait. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div className={`notice notice-${kind}`} role={kind === 'problem' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}
