import { type ReactNode, useEffect, useRef } from 'react'
import { CloseNotice } from './CloseNotice.tsx'
import { showInView } from './show-in-view.ts'

type DoneNoticeProps = {
  /** For the outcome of a row of a long table: the notice stays in view until the user closes it. */
  onClose?: (() => void) | undefined
  children: ReactNode
}

/**
 * The notice of a success, if there is one. The empty region is in the page before, because screen readers announce only
 * a change of a region. The user sees a notice that appears, wherever they have scrolled to.
 */
export function DoneNotice({ onClose, children }: DoneNoticeProps) {
  const region = useRef<HTMLDivElement>(null)
  const isShown = Boolean(children)
  const wasShown = useRef(isShown)

  useEffect(() => {
    if (isShown && !wasShown.current) showInView(region.current)
    wasShown.current = isShown
  }, [isShown])

  return (
    <div ref={region} className={classOf(isShown, onClose !== undefined)} role="status">
      {children}
      {isShown && onClose && <CloseNotice onClose={onClose} />}
    </div>
  )
}

function classOf(isShown: boolean, isSticky: boolean): string {
  if (!isShown) return 'empty-region'
  return isSticky ? 'notice notice-success notice-sticky' : 'notice notice-success'
}
