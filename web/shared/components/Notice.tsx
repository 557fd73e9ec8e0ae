import type { ReactNode } from 'react'

type NoticeProps = { kind: 'information' | 'success' | 'problem'; children: ReactNode }

/** Something to know about the whole page. Problems interrupt a screen reader, the others wait. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div className={`notice notice-${kind}`} role={kind === 'problem' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}
