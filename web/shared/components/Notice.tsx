import { type ReactNode, useEffect, useRef } from 'react'
import { showInView } from './show-in-view.ts'

type NoticeProps = {
  kind: 'information' | 'problem'
  /** The user has caused it, and sees it wherever they have scrolled to. */
  isOutcome?: boolean
  children: ReactNode
}

/** A problem interrupts a screen reader; information waits. `DoneNotice` is the notice of a success. */
export function Notice({ kind, isOutcome = false, children }: NoticeProps) {
  const notice = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (isOutcome) showInView(notice.current)
  }, [isOutcome])

  return (
    <div ref={notice} className={`notice notice-${kind}`} role={kind === 'problem' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}
