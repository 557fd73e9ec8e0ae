import type { ReactNode } from 'react'
import { useNotice } from '../routing/page-state.ts'
import { DoneNotice } from './DoneNotice.tsx'
import { Heading } from './Heading.tsx'

type FramePageProps = {
  heading: string
  /** The title of the document, by default the heading. */
  title?: string
  lead?: ReactNode
  /** Buttons and links beside the heading. */
  actions?: ReactNode
  /** For tables. Text and forms are easier to read in the narrow column. */
  isWide?: boolean
  children: ReactNode
}

/** The content of a page in the frame, after the newest notice, which vanishes with the next submit. */
export function FramePage({ heading, title, lead, actions, isWide = false, children }: FramePageProps) {
  const [notice, hideNotice] = useNotice()
  return (
    <div className={isWide ? 'frame-page' : 'frame-page frame-page-narrow'} onSubmit={hideNotice}>
      <div className="frame-page-head">
        <Heading title={title ?? heading}>{heading}</Heading>
        {actions}
      </div>
      <DoneNotice>{notice}</DoneNotice>
      {lead && <p className="lead">{lead}</p>}
      {children}
    </div>
  )
}
