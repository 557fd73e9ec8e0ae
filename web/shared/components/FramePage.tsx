import type { ReactNode } from 'react'
import { useNotice } from '../routing/page-state.ts'
import { DoneNotice } from './DoneNotice.tsx'
import { Heading } from './Heading.tsx'

type FramePageProps = {
  heading: string
  /** The title of the document, by default the heading. */
  title?: string
  lead?: ReactNode
  /** For tables. Text and forms are easier to read in the narrow column. */
  isWide?: boolean
  children: ReactNode
}

/** The content of a page in the frame, after the newest notice, which vanishes with the next submit. */
export function FramePage({ heading, title, lead, isWide = false, children }: FramePageProps) {
  const [notice, hideNotice] = useNotice()
  return (
    <div className={isWide ? 'frame-page' : 'frame-page frame-page-narrow'} onSubmit={hideNotice}>
      <Heading title={title ?? heading}>{heading}</Heading>
      <DoneNotice onClose={isWide ? hideNotice : undefined}>{notice}</DoneNotice>
      {lead && <p className="lead">{lead}</p>}
      {children}
    </div>
  )
}
