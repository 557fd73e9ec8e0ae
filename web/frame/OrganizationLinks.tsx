import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import { organizationsQuery } from '../shared/api/queries.ts'
import { RailGroup } from './RailGroup.tsx'
import { SectionLink } from './SectionLink.tsx'
import { organizationSections } from './sections.ts'

/** The organizations of the user. The current one shows its sections. */
export function OrganizationLinks() {
  const { data: organizations = [] } = useQuery(organizationsQuery)
  const [, area, currentSlug] = usePathname().split('/')
  return (
    <RailGroup label="Organizations">
      {organizations.map(({ id, name, slug }) => (
        <li key={id}>
          <Link href={`/organizations/${slug}`} className="rail-link rail-organization">
            {name}
          </Link>
          {area === 'organizations' && slug === currentSlug && <OrganizationSections name={name} slug={slug} />}
        </li>
      ))}
      <li>
        <SectionLink section={{ path: '/organizations/new', label: 'Create an organization' }} />
      </li>
    </RailGroup>
  )
}

function OrganizationSections({ name, slug }: { name: string; slug: string }) {
  return (
    <ul aria-label={`Pages of ${name}`} className="rail-sections">
      {organizationSections(slug).map((section) => (
        <li key={section.path}>
          <SectionLink section={section} />
        </li>
      ))}
    </ul>
  )
}
