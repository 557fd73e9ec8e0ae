import type { Calls } from '../call.ts'
import { appCalls, emailCalls, passwordCalls, profileCalls, sessionCalls, tokenCalls } from './account.ts'
import { apiKeyCalls } from './api-keys.ts'
import { clientCalls } from './clients.ts'
import { passkeyCalls, twoStepCalls } from './credentials.ts'
import { invitationCalls } from './invitations.ts'
import { authorizationCalls, deviceCalls, protocolCalls } from './openid.ts'
import { memberCalls, organizationCalls } from './organizations.ts'
import { pageCalls } from './pages.ts'
import { staffOtherCalls } from './staff.ts'
import { staffAuditCalls, staffListCalls } from './staff-lists.ts'
import { staffUserCalls } from './staff-users.ts'

/** Every route of the service that is not in `LEFT_OUT`. */
export const ALL_CALLS: Calls = {
  ...sessionCalls,
  ...passwordCalls,
  ...emailCalls,
  ...profileCalls,
  ...tokenCalls,
  ...passkeyCalls,
  ...twoStepCalls,
  ...appCalls,
  ...organizationCalls,
  ...memberCalls,
  ...invitationCalls,
  ...apiKeyCalls,
  ...staffUserCalls,
  ...staffListCalls,
  ...staffAuditCalls,
  ...staffOtherCalls,
  ...authorizationCalls,
  ...protocolCalls,
  ...deviceCalls,
  ...clientCalls,
  ...pageCalls,
}

const SAME_DOCUMENT = 'serves the same document as /account'

/** The routes that are not measured, with the reason. */
export const LEFT_OUT: Record<string, string> = {
  'POST /api/setup': 'works once in a database: for the first administrator',
  'POST /api/auth/oauth2/end-session': 'the same as its GET',
  'POST /api/auth/oauth2/end-session/confirm': 'answers a form of the GET, and then does what sign-out does',
  'GET /api/auth/oauth2/end-session/success': 'a page without a question to the database',
  'GET /api/auth/reference': 'a page without a question to the database',
  'GET /assets/:file': 'a file',
  'GET /dev/mailbox/emails/:id.html': 'shows one of the emails of /dev/mailbox/emails, on localhost',
  ...Object.fromEntries(
    [
      '/',
      '/account/security',
      '/change-email',
      '/choose-organization',
      '/consent',
      '/delete-account',
      '/dev/mailbox',
      '/device',
      '/forgot-password',
      '/invitation',
      '/organizations/:slug',
      '/organizations/:slug/api-keys',
      '/organizations/:slug/apps',
      '/organizations/:slug/invitations',
      '/organizations/:slug/members',
      '/organizations/:slug/settings',
      '/organizations/new',
      '/reset-password',
      '/second-step',
      '/setup',
      '/sign-up',
      '/staff',
      '/staff/apps',
      '/staff/audit',
      '/staff/emails',
      '/staff/invitations',
      '/staff/organizations',
      '/staff/organizations/:id',
      '/staff/system',
      '/staff/users',
      '/staff/users/:id',
      '/undo-change-email',
      '/verify-email',
    ].map((path) => [`GET ${path}`, SAME_DOCUMENT]),
  ),
}
