export type Section = {
  path: string
  label: string
  /** Whether each entry of the list has a page of its own, with its id in the path. */
  hasEntries?: true
}

export const ACCOUNT_SECTIONS: Section[] = [
  { path: '/account', label: 'Overview' },
  { path: '/account/security', label: 'Security' },
]

export const NEW_ORGANIZATION: Section = { path: '/organizations/new', label: 'Create an organization' }

export function organizationSections(slug: string): Section[] {
  const home = `/organizations/${slug}`
  return [
    { path: home, label: 'Overview' },
    { path: `${home}/members`, label: 'Members' },
    { path: `${home}/invitations`, label: 'Invitations' },
    { path: `${home}/api-keys`, label: 'API keys' },
    { path: `${home}/apps`, label: 'Apps' },
    { path: `${home}/settings`, label: 'Settings' },
  ]
}

export const STAFF_SECTIONS: Section[] = [
  { path: '/staff', label: 'Overview' },
  { path: '/staff/users', label: 'Users', hasEntries: true },
  { path: '/staff/organizations', label: 'Organizations', hasEntries: true },
  { path: '/staff/apps', label: 'Apps' },
  { path: '/staff/invitations', label: 'Invitations' },
  { path: '/staff/emails', label: 'Emails' },
  { path: '/staff/audit', label: 'Audit log' },
  { path: '/staff/system', label: 'System' },
]
