import { useQuery } from '@tanstack/react-query'
import { useCaller } from '../shared/api/caller.ts'
import { isStaff } from '../shared/api/is-staff.ts'
import { useMayCreateOrganizations } from '../shared/api/organization-creation.ts'
import { organizationsQuery } from '../shared/api/queries.ts'
import { useAfterPause } from '../shared/api/typing-pause.ts'
import { isId } from '../shared/format/is-id.ts'
import { foundOrganizationsQuery, foundUsersQuery } from './queries.ts'
import { ACCOUNT_SECTIONS, NEW_ORGANIZATION, organizationSections, type Section, STAFF_SECTIONS } from './sections.ts'

type Destination = Section & { note: string }

const SEARCH_LENGTH_MINIMUM = 2
/** A user may belong to hundreds of organizations, each with several pages. */
const PAGES_MAXIMUM = 50

/**
 * The pages and organizations that match a text. Staff also get users, all organizations, and the events of an id.
 * These results appear together when the search ends, so that Enter never opens a result of an older text.
 */
export function useDestinations(text: string): {
  destinations: Destination[]
  leftOutCount: number
  isSearching: boolean
  error: Error | null
} {
  const { user } = useCaller()
  const mayCreate = useMayCreateOrganizations()
  const typed = text.trim()
  const searched = useAfterPause(typed)
  const { data: organizations = [], error: organizationsError, isPending } = useQuery(organizationsQuery)
  const canSearch = isStaff(user) && typed.length >= SEARCH_LENGTH_MINIMUM
  const isSent = canSearch && searched === typed
  const users = useQuery({ ...foundUsersQuery(searched), enabled: isSent })
  const others = useQuery({ ...foundOrganizationsQuery(searched), enabled: isSent })
  const hasEnded = isSent && !users.isPending && !others.isPending

  const sectionsOf = (slug: string) => organizationSections(slug).slice(0, typed === '' ? 1 : undefined)
  const pages = [
    ...withNote(ACCOUNT_SECTIONS, 'Your account'),
    ...organizations.flatMap(({ name, slug }) => withNote(sectionsOf(slug), `${name} (${slug})`)),
    ...(mayCreate ? withNote([NEW_ORGANIZATION], 'Organizations') : []),
    ...(isStaff(user) ? withNote(STAFF_SECTIONS, 'Staff') : []),
  ].filter((page) => matches(page, text))
  const found = [
    ...(users.data?.users ?? []).map(toDestination),
    ...(others.data ?? []).map(toStaffDestination),
    ...(isId(searched) ? pagesAbout(searched) : []),
  ]
  return {
    destinations: [...pages.slice(0, PAGES_MAXIMUM), ...(hasEnded ? found : [])],
    leftOutCount: Math.max(0, pages.length - PAGES_MAXIMUM),
    error: organizationsError ?? (hasEnded ? (users.error ?? others.error) : null),
    isSearching: isPending || (canSearch && !hasEnded),
  }
}

function toDestination({ id, name, email }: { id: string; name: string; email: string }): Destination {
  return { path: `/staff/users/${id}`, label: name, note: email }
}

function toStaffDestination({ id, name, slug }: { id: string; name: string; slug: string }): Destination {
  return { path: `/staff/organizations/${id}`, label: name, note: `${slug}, for staff` }
}

function pagesAbout(id: string): Destination[] {
  const events = { path: `/staff/audit?id=${id}`, label: 'Everything about this id', note: 'Audit log' }
  const organization = { path: `/staff/organizations/${id}`, label: 'The organization with this id', note: 'Staff' }
  return id.startsWith('org_') ? [organization, events] : [events]
}

function withNote(sections: Section[], note: string): Destination[] {
  return sections.map((section) => ({ ...section, note }))
}

function matches({ label, note }: Destination, text: string): boolean {
  const shown = `${label} ${note}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word))
}
