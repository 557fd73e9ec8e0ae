import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useCaller } from '../shared/api/caller.ts'
import { organizationsQuery } from '../shared/api/queries.ts'
import { foundUsersQuery } from './queries.ts'
import { ACCOUNT_SECTIONS, organizationSections, type Section, STAFF_SECTIONS } from './sections.ts'
import { isStaff } from './staff.ts'

export type Destination = Section & { note: string }

const PAUSE_MILLISECONDS = 200
const SEARCH_LENGTH_MINIMUM = 2

/** The pages, organizations and, for staff, the users that match a text. */
export function useDestinations(text: string): { destinations: Destination[]; isSearching: boolean } {
  const { user } = useCaller()
  const settled = useSettled(text.trim())
  const { data: organizations = [] } = useQuery(organizationsQuery)
  const canSearch = isStaff(user) && settled.length >= SEARCH_LENGTH_MINIMUM
  const users = useQuery({ ...foundUsersQuery(settled), enabled: canSearch })

  const pages = [
    ...withNote(ACCOUNT_SECTIONS, 'Your account'),
    ...organizations.flatMap(({ name, slug }) => withNote(organizationSections(slug), `${name} (${slug})`)),
    ...withNote([{ path: '/organizations/new', label: 'Create an organization' }], 'Organizations'),
    ...(isStaff(user) ? withNote(STAFF_SECTIONS, 'Staff') : []),
  ]
  const found = canSearch ? (users.data?.users ?? []) : []
  return {
    destinations: [
      ...pages.filter((page) => matches(page, text)),
      ...found.map(({ id, name, email }) => ({ path: `/staff/users/${id}`, label: name, note: email })),
    ],
    isSearching: text.trim() !== settled || users.isFetching,
  }
}

function withNote(sections: Section[], note: string): Destination[] {
  return sections.map((section) => ({ ...section, note }))
}

/** Every word is in the label or the note. */
function matches({ label, note }: Destination, text: string): boolean {
  const searched = `${label} ${note}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))
}

/** The text after the user has paused, so that not every key sends a request. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const pause = setTimeout(() => setSettled(text), PAUSE_MILLISECONDS)
    return () => clearTimeout(pause)
  }, [text])
  return settled
}
