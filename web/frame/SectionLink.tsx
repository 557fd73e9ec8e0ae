import { Link } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import type { Section } from './sections.ts'

export function SectionLink({ section }: { section: Section }) {
  const isCurrent = usePathname() === section.path
  return (
    <Link href={section.path} className="rail-link" aria-current={isCurrent ? 'page' : undefined}>
      {section.label}
    </Link>
  )
}
