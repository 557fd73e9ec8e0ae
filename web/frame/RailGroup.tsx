import { type ReactNode, useId } from 'react'
import { SectionLink } from './SectionLink.tsx'
import type { Section } from './sections.ts'

type RailGroupProps = { label: string; note?: string; sections?: Section[]; children?: ReactNode }

export function RailGroup({ label, note, sections = [], children }: RailGroupProps) {
  const id = useId()
  return (
    <div>
      <p className="rail-label" id={id}>
        {label}
      </p>
      {note && <p className="rail-note">{note}</p>}
      <ul aria-labelledby={id}>
        {sections.map((section) => (
          <li key={section.path}>
            <SectionLink section={section} />
          </li>
        ))}
        {children}
      </ul>
    </div>
  )
}
