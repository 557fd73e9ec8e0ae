import { Link } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import type { Section } from './sections.ts'

export function SectionLink({ section }: { section: Section }) {
  return (
    <Link href={section.path} className="rail-link" aria-current={currentOf(section, usePathname())}>
      {section.label}
    </Link>
  )
}

/** The value of `aria-current`: the page itself, or the list of which the page shows one entry. */
function currentOf({ path, hasEntries }: Section, pathname: string): 'page' | 'true' | undefined {
  if (pathname === path) return 'page'
  return hasEntries && pathname.startsWith(`${path}/`) ? 'true' : undefined
}
