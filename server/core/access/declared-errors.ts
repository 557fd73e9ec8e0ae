import type { ErrorCode } from '../../platform/http/errors.ts'
import type { Access, OrganizationAccess, RouteAccess } from './access.ts'

/** The errors that follow from what a route declares; those of what it does, it names itself. */
export function declaredErrors({ access, rateLimit, impersonated }: RouteAccess, method: string): ErrorCode[] {
  return [
    'VALIDATION_ERROR',
    'MALFORMED_REQUEST',
    'MISDIRECTED_REQUEST',
    'INTERNAL_SERVER_ERROR',
    'SERVICE_UNAVAILABLE',
    ...(method === 'POST' ? BODY_ERRORS : []),
    ...(rateLimit === 'none' ? [] : (['TOO_MANY_REQUESTS'] as const)),
    ...(access === 'public' ? [] : (['CONFLICTING_CREDENTIALS'] as const)),
    ...(access === 'public' || impersonated === 'allowed' ? [] : (['IMPERSONATION_NOT_ALLOWED'] as const)),
    ...accessErrors(access),
  ]
}

const BODY_ERRORS = ['INVALID_ORIGIN', 'INVALID_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const
const API_KEY_ERRORS = ['INVALID_API_KEY', 'KEY_DISABLED', 'KEY_EXPIRED'] as const

function accessErrors(access: Access): ErrorCode[] {
  switch (access) {
    case 'public':
    case 'anyone':
      return []
    case 'session':
      return ['UNAUTHORIZED']
    case 'verified session':
      return ['UNAUTHORIZED', 'EMAIL_NOT_VERIFIED']
    case 'verified session or api key':
      return ['UNAUTHORIZED', 'EMAIL_NOT_VERIFIED', ...API_KEY_ERRORS]
    case 'fresh session':
    case 'fresh session or invitation':
      return ['UNAUTHORIZED', 'SESSION_NOT_FRESH']
    default:
      return [
        'UNAUTHORIZED',
        'EMAIL_NOT_VERIFIED',
        ...(access.fresh ? (['SESSION_NOT_FRESH'] as const) : []),
        ...('staff' in access ? (['FORBIDDEN'] as const) : organizationErrors(access)),
      ]
  }
}

function organizationErrors({ organization, namedBy }: OrganizationAccess): ErrorCode[] {
  const forbidden: ErrorCode[] = organization === 'membership' ? [] : ['FORBIDDEN']
  if (namedBy === 'api key') return [...forbidden, 'KEY_NOT_FOUND']
  if (namedBy === 'invitation') return [...forbidden, 'INVITATION_NOT_FOUND']
  return [...forbidden, 'NO_ACTIVE_ORGANIZATION', 'ORGANIZATION_NOT_FOUND']
}
