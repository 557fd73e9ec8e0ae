import { Type } from 'typebox'
import { AUDIT_ACTIONS } from '../../../core/audit/actions.ts'
import { listRecordedEvents } from '../../../core/audit/list-events.ts'
import type { Context } from '../../../core/context.ts'
import { answers, Fields, Id, NullableString, OneOf, Properties, Timestamp } from '../../../platform/http/schemas.ts'
import { parseTime, toIso } from '../../../platform/http/time.ts'
import type { App } from '../../../platform/http/typed-app.ts'

const Time = Type.String({ maxLength: 40, description: 'ISO 8601, or epoch milliseconds' })
const Query = Fields({
  actorId: Type.Optional(Id),
  subjectId: Type.Optional(Id),
  organizationId: Type.Optional(Id),
  action: Type.Optional(OneOf(...AUDIT_ACTIONS)),
  from: Type.Optional(Time),
  until: Type.Optional(Time),
  limit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]?|[1-4][0-9]{2}|500)$', description: '1 to 500' })),
  offset: Type.Optional(Type.String({ pattern: '^[0-9]{1,6}$', description: '0 to 999999' })),
})
const LIMIT_DEFAULT = 100

const Answer = Type.Object({
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      createdAt: Timestamp,
      action: Type.String(),
      actorId: NullableString,
      impersonatedBy: NullableString,
      subjectId: NullableString,
      organizationId: NullableString,
      ipAddress: NullableString,
      userAgent: NullableString,
      requestId: NullableString,
      details: Properties,
      sequence: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'its place in the chain' }),
      hash: NullableString,
    }),
  ),
  limit: Type.Integer(),
  offset: Type.Integer(),
  hasMore: Type.Boolean(),
})

/** The record of who did what, for administrators. */
export function registerAuditRoutes(app: App, context: Context): void {
  app.get(
    '/api/auth/admin/list-audit-events',
    {
      config: { access: { staff: 'audit.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'The audit record, newest first, by actor, subject, organization, action and time',
        querystring: Query,
        response: answers(Answer, 'UNAUTHORIZED', 'FORBIDDEN'),
      },
    },
    async (request) => {
      const { limit: limitText, offset: offsetText = '0', from, until, ...equal } = request.query
      const limit = limitText === undefined ? LIMIT_DEFAULT : Number(limitText)
      const offset = Number(offsetText)
      const filter = {
        ...equal,
        ...(from !== undefined && { from: parseTime(from, 'from') }),
        ...(until !== undefined && { until: parseTime(until, 'until') }),
      }
      const events = await listRecordedEvents(context, filter, { limit: limit + 1, offset })
      const shown = events.slice(0, limit).map((event) => ({ ...event, createdAt: toIso(event.createdAt) }))
      return { events: shown, limit, offset, hasMore: events.length > limit }
    },
  )
}
