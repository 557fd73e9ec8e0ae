import type { ComponentType } from 'react'
import { type ChunkComponent, chunkComponent } from './shared/components/chunk-component.ts'
import type { PagePath } from './shared/pages.ts'

// Each of these is a chunk, which the browser loads when one of its pages is visited.
const account = () => import('./account/pages.ts')
const apps = () => import('./apps/pages.ts')
const entry = () => import('./entry/pages.ts')
const invitations = () => import('./invitations/pages.ts')
const links = () => import('./links/pages.ts')
const mailbox = () => import('./mailbox/pages.ts')
const organizations = () => import('./organizations/pages.ts')
const reference = () => import('./reference/pages.ts')
const security = () => import('./security/pages.ts')
const signIn = () => import('./entry/sign-in-pages.ts')
const staff = () => import('./staff/pages.ts')

export const ROUTES: Record<PagePath, ChunkComponent<object>> = {
  '/': page(signIn, 'Home'),
  '/account': page(account, 'Account'),
  '/account/security': page(security, 'Security'),
  '/api/auth/reference': page(reference, 'Reference'),
  '/change-email': page(links, 'ChangeEmail'),
  '/choose-organization': page(apps, 'ChooseOrganization'),
  '/consent': page(apps, 'Consent'),
  '/delete-account': page(links, 'DeleteAccount'),
  '/dev/mailbox': page(mailbox, 'Mailbox'),
  '/device': page(apps, 'Device'),
  '/forgot-password': page(entry, 'ForgotPassword'),
  '/invitation': page(invitations, 'Invitation'),
  '/organizations/:slug': page(organizations, 'Overview'),
  '/organizations/:slug/api-keys': page(organizations, 'ApiKeys'),
  '/organizations/:slug/apps': page(organizations, 'Apps'),
  '/organizations/:slug/invitations': page(organizations, 'Invitations'),
  '/organizations/:slug/members': page(organizations, 'Members'),
  '/organizations/:slug/settings': page(organizations, 'Settings'),
  '/organizations/new': page(organizations, 'NewOrganization'),
  '/reset-password': page(entry, 'ResetPassword'),
  '/second-step': page(apps, 'SecondStep'),
  '/setup': page(entry, 'SetUp'),
  '/sign-in': page(signIn, 'SignIn'),
  '/sign-up': page(entry, 'SignUp'),
  '/staff': page(staff, 'Overview'),
  '/staff/apps': page(staff, 'Apps'),
  '/staff/audit': page(staff, 'Audit'),
  '/staff/emails': page(staff, 'Emails'),
  '/staff/invitations': page(staff, 'Invitations'),
  '/staff/organizations': page(staff, 'Organizations'),
  '/staff/organizations/:id': page(staff, 'Organization'),
  '/staff/system': page(staff, 'System'),
  '/staff/users': page(staff, 'Users'),
  '/staff/users/:id': page(staff, 'User'),
  '/undo-change-email': page(links, 'UndoChangeEmail'),
  '/verify-email': page(links, 'VerifyEmail'),
}

function page<Name extends string>(
  load: () => Promise<{ pages: Record<Name, ComponentType> }>,
  name: Name,
): ChunkComponent<object> {
  return chunkComponent(async () => (await load()).pages[name])
}
