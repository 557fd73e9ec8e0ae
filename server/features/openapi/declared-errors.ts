import { type Access, accessRuleOf, type OrganizationAccess, type RouteAccess } from '../../core/access/access-rules.ts'
import type { ErrorCode } from '../../platform/http/errors.ts'

const EVERY_ROUTE = [
  'VALIDATION_ERROR',
  'MALFORMED_REQUEST',
  'MISDIRECTED_REQUEST',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
] as const
const BODY_ERRORS = ['INVALID_ORIGIN', 'INVALID_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const
const SESSION_ERRORS = ['CONFLICTING_CREDENTIALS', 'SESSION_CHANGED'] as const
const API_KEY_ERRORS = ['INVALID_API_KEY', 'KEY_DISABLED', 'KEY_EXPIRED'] as const

export function listDeclaredErrors({ access, rateLimit, impersonated }: RouteAccess, method: string): ErrorCode[] {
  const { session, verified, fresh, replacedBy } = accessRuleOf(access)
  const isAuthenticated = session !== 'ignored'
  return [
    ...EVERY_ROUTE,
    ...(method === 'POST' ? BODY_ERRORS : []),
    ...when(rateLimit !== 'none', 'TOO_MANY_REQUESTS'),
    ...(isAuthenticated ? SESSION_ERRORS : []),
    ...when(isAuthenticated && impersonated === 'refused', 'IMPERSONATION_NOT_ALLOWED'),
    ...when(session === 'required', 'UNAUTHORIZED'),
    ...when(verified, 'EMAIL_NOT_VERIFIED'),
    ...when(fresh, 'SESSION_NOT_FRESH'),
    ...(replacedBy === 'api key' ? API_KEY_ERRORS : []),
    ...listPermissionErrors(access),
  ]
}

function when(condition: boolean, code: ErrorCode): ErrorCode[] {
  return condition ? [code] : []
}

function listPermissionErrors(access: Access): ErrorCode[] {
  if (typeof access === 'string') return []
  if ('staff' in access) return ['FORBIDDEN', 'TWO_FACTOR_REQUIRED']
  if ('client' in access)
    return ['FORBIDDEN', 'TWO_FACTOR_REQUIRED', 'ORGANIZATION_NOT_FOUND', 'OAUTH_CLIENT_NOT_FOUND']
  return listOrganizationErrors(access)
}

function listOrganizationErrors({ organization, namedBy, fresh }: OrganizationAccess): ErrorCode[] {
  const forbidden = [
    ...when(organization !== 'membership', 'FORBIDDEN'),
    ...when(fresh === true, 'TWO_FACTOR_REQUIRED'),
  ]
  if (namedBy === 'api key') return [...forbidden, 'KEY_NOT_FOUND']
  if (namedBy === 'invitation') return [...forbidden, 'INVITATION_NOT_FOUND']
  return [...forbidden, 'NO_ACTIVE_ORGANIZATION', 'ORGANIZATION_NOT_FOUND']
}
