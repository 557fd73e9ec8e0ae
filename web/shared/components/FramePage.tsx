import type { ReactNode } from 'react'
import { useNotice } from '../routing/page-state.ts'
import { DoneNotice } from './DoneNotice.tsx'
import { Heading } from './Heading.tsx'
import { Notice } from './Notice.tsx'

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
  const [notice, hideNotice] = useNotice('notice')
  const [problem, hideProblem] = useNotice('problem')

  function hideBoth() {
    hideNotice()
    hideProblem()
  }

  return (
    <div className={isWide ? 'frame-page' : 'frame-page frame-page-narrow'} onSubmit={hideBoth}>
      <Heading title={title ?? heading}>{heading}</Heading>
      <DoneNotice onClose={isWide ? hideNotice : undefined}>{notice}</DoneNotice>
      {problem && (
        <Notice kind="problem" isOutcome onClose={isWide ? hideProblem : undefined}>
          <p>{problem}</p>
        </Notice>
      )}
      {lead && <p className="lead">{lead}</p>}
      {children}
    </div>
  )
}
