import type { ReactNode } from 'react'
import { Heading } from './Heading.tsx'
import { ServiceLinks } from './ServiceLinks.tsx'
import { Wordmark } from './Wordmark.tsx'

type PageProps = { heading: string; lead?: ReactNode; children?: ReactNode; after?: ReactNode }

/** The frame of a page with one task. */
export function Page({ heading, lead, children, after }: PageProps) {
  return (
    <div className="page">
      <header>
        <Wordmark />
      </header>
      <main className="card">
        <Heading>{heading}</Heading>
        {lead && <p className="lead">{lead}</p>}
        {children}
      </main>
      <footer className="page-footer">
        {after}
        <ServiceLinks />
      </footer>
    </div>
  )
}
