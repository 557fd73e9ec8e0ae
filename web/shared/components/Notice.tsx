import { type ReactNode, useEffect, useRef } from 'react'
import { CloseNotice } from './CloseNotice.tsx'
import { showInView } from './show-in-view.ts'

type NoticeProps = {
  kind: 'information' | 'problem'
  /** The user has caused it, and sees it wherever they have scrolled to. */
  isOutcome?: boolean
  /** For the outcome of a row of a long table: the notice stays in view until the user closes it. */
  onClose?: (() => void) | undefined
  children: ReactNode
}

/** A problem interrupts a screen reader; information waits. `DoneNotice` is the notice of a success. */
export function Notice({ kind, isOutcome = false, onClose, children }: NoticeProps) {
  const notice = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (isOutcome) showInView(notice.current)
  }, [isOutcome])

  return (
    <div
      ref={notice}
      className={`notice notice-${kind}${onClose ? ' notice-sticky' : ''}`}
      role={kind === 'problem' ? 'alert' : 'status'}
    >
      {children}
      {onClose && <CloseNotice onClose={onClose} />}
    </div>
  )
}
