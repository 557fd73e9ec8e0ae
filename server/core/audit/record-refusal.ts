import type { FastifyRequest } from 'fastify'
import type { ApiError, ErrorCode } from '../../platform/http/errors.ts'
import type { AuditAction } from './actions.ts'
import { actorOf } from './actor.ts'
import type { RepeatedEvents } from './repeated-events.ts'

const REFUSED_KEYS: readonly ErrorCode[] = ['INVALID_API_KEY', 'KEY_DISABLED', 'KEY_EXPIRED']

export function recordRefusal(
  { repeatedEvents }: { repeatedEvents: RepeatedEvents },
  request: FastifyRequest,
  error: ApiError,
): void {
  const { url: route } = request.routeOptions
  const action = actionOf(error)
  if (action === undefined || route === undefined) return
  const organizationId = request.membership?.organization.id
  const about = error.about ?? (organizationId && { organizationId })
  repeatedEvents.add(actorOf(request), { action, ...about, details: { route, code: error.code } })
}

function actionOf({ code, status }: ApiError): AuditAction | undefined {
  if (status === 429) return 'limit.reached'
  return status === 403 || REFUSED_KEYS.includes(code) ? 'access.refused' : undefined
}
