import { requireCaller } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses, SuccessResponse } from '../../../platform/http/schemas.ts'
import { toIso } from '../../../platform/http/time.ts'
import { describeClient, listChoices } from '../interactions/describe-interaction.ts'
import { approveDeviceRequest, denyDeviceRequest } from './answer-device-request.ts'
import { formatUserCode, getDeviceRequest } from './device-request.ts'
import { ApproveBody, DenyBody, DeviceQuery, DeviceResponse } from './schemas.ts'

export function registerDeviceFlowRoutes(app: HttpApp, context: Context, rateLimits: RateLimits): void {
  app.get(
    '/api/auth/device',
    {
      config: { access: 'verified session', rateLimit: 'guess and list', impersonated: 'refused' },
      schema: {
        summary: 'What a device asks for that shows this code',
        querystring: DeviceQuery,
        response: responses(DeviceResponse, 'DEVICE_CODE_NOT_FOUND'),
      },
    },
    async (request) => {
      const { user } = requireCaller(request)
      const userCode = request.query.user_code
      const found = await rateLimits.tryUserCode(request, user.id, () =>
        getDeviceRequest(context.database, { userCode, userId: user.id }, context.now()),
      )
      const { client, scopes, organizationSlug, status, requestedBy, row } = found
      const isChoosing = scopes.includes('organization') && client.organizationId === null
      const choices = isChoosing ? await listChoices(context, user.id) : []
      return {
        userCode: formatUserCode(userCode),
        client: await describeClient(context, client),
        scopes,
        organizations: choices.filter(({ slug }) => organizationSlug === undefined || slug === organizationSlug),
        status,
        requestedAt: toIso(row.createdAt),
        requestedBy,
      }
    },
  )

  app.post(
    '/api/auth/device/approve',
    {
      config: { access: 'verified session', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Give a device what it asks for',
        body: ApproveBody,
        response: responses(
          SuccessResponse,
          'DEVICE_CODE_NOT_FOUND',
          'NO_ACTIVE_ORGANIZATION',
          'OAUTH_CLIENT_NOT_FOUND',
          'OAUTH_CONSENT_LIMIT_REACHED',
          'ORGANIZATION_NOT_FOUND',
          'TWO_FACTOR_REQUIRED',
        ),
      },
    },
    async (request) => {
      const { userCode, organizationId } = request.body
      const caller = requireCaller(request)
      await rateLimits.tryUserCode(request, caller.user.id, () =>
        approveDeviceRequest(context, actorOf(request), caller, { userCode, organizationId }),
      )
      return { success: true }
    },
  )

  app.post(
    '/api/auth/device/deny',
    {
      config: { access: 'verified session', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Refuse what a device asks for',
        body: DenyBody,
        response: responses(SuccessResponse, 'DEVICE_CODE_NOT_FOUND'),
      },
    },
    async (request) => {
      const { userCode } = request.body
      const { user } = requireCaller(request)
      await rateLimits.tryUserCode(request, user.id, () =>
        denyDeviceRequest(context, actorOf(request), { userCode, userId: user.id }),
      )
      return { success: true }
    },
  )
}
