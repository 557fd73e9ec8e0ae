export type Section = { path: string; label: string }

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
  { path: '/staff/users', label: 'Users' },
  { path: '/staff/organizations', label: 'Organizations' },
  { path: '/staff/apps', label: 'Apps' },
  { path: '/staff/invitations', label: 'Invitations' },
  { path: '/staff/emails', label: 'Emails' },
  { path: '/staff/audit', label: 'Audit log' },
  { path: '/staff/system', label: 'System' },
]
