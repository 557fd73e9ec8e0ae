import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import { useMayCreateOrganizations } from '../shared/api/organization-creation.ts'
import { organizationsQuery } from '../shared/api/queries.ts'
import { number } from '../shared/format/number.ts'
import { organizationRoleName } from '../shared/format/role-name.ts'
import { RailGroup } from './RailGroup.tsx'
import { SectionLink } from './SectionLink.tsx'
import { NEW_ORGANIZATION, organizationSections } from './sections.ts'
import { useAreOrganizationsLoaded } from './use-are-links-loaded.ts'

/** More links would push the links of the other pages out of sight. */
const SHOWN_MAXIMUM = 8

export function OrganizationLinks() {
  const { data: organizations = [] } = useQuery(organizationsQuery)
  const mayCreate = useMayCreateOrganizations()
  const areLoaded = useAreOrganizationsLoaded()
  const [, area, slug] = usePathname().split('/')
  const currentSlug = area === 'organizations' ? slug : undefined
  const shown = organizations.filter(
    (organization, index) => index < SHOWN_MAXIMUM || organization.slug === currentSlug,
  )
  return (
    <RailGroup label="Organizations">
      {shown.map(({ id, name, slug, role }) => (
        <li key={id}>
          <Link href={`/organizations/${slug}`} className="rail-link">
            <span>{name}</span> <span className="soft">{organizationRoleName(role)}</span>
          </Link>
          {slug === currentSlug && <OrganizationSections name={name} slug={slug} />}
        </li>
      ))}
      {shown.length < organizations.length && (
        <li>
          <Link href="/account" className="rail-link">
            All {number(organizations.length)} organizations
          </Link>
        </li>
      )}
      {areLoaded && mayCreate && (
        <li>
          <SectionLink section={NEW_ORGANIZATION} />
        </li>
      )}
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
