import { requireMembership } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses, SuccessResponse } from '../../../platform/http/schemas.ts'
import { createApiKey } from './create-api-key.ts'
import { deleteApiKey } from './delete-api-key.ts'
import { listApiKeys } from './list-api-keys.ts'
import { rotateApiKey } from './rotate-api-key.ts'
import {
  ApiKey,
  CreateApiKeyBody,
  CreatedApiKey,
  DeleteApiKeyBody,
  GetApiKeyQuery,
  ListApiKeysQuery,
  ListApiKeysResponse,
  RotateApiKeyBody,
  RotatedApiKey,
  UpdateApiKeyBody,
  VerifyApiKeyBody,
  VerifyApiKeyResponse,
} from './schemas.ts'
import { findApiKey } from './store.ts'
import { updateApiKey } from './update-api-key.ts'
import { verifyApiKey } from './verify-api-key.ts'
import { toApiKey, toListedApiKey } from './wire.ts'

const OVERLAP_SECONDS_DEFAULT = 86_400

export function registerApiKeyRoutes(app: HttpApp, context: Context, rateLimits: RateLimits): void {
  app.post(
    '/api/auth/api-key/create',
    {
      config: { access: { organization: 'apiKey.create', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Create an API key of an organization; no other response shows the API key',
        body: CreateApiKeyBody,
        response: responses(CreatedApiKey, 'INSUFFICIENT_API_KEY_PERMISSIONS', 'API_KEY_LIMIT_REACHED'),
      },
    },
    async (request) => {
      const { name, role = 'member', expiresIn = null, metadata = null } = request.body
      const input = { name, role, expiresInSeconds: expiresIn, metadata }
      const { key, text } = await createApiKey(context, actorOf(request), requireMembership(request), input)
      return { ...toApiKey(key), key: text }
    },
  )

  app.post(
    '/api/auth/api-key/rotate',
    {
      config: {
        access: { organization: 'apiKey.create', namedBy: 'api key', fresh: true },
        rateLimit: 'change',
        impersonated: 'refused',
      },
      schema: {
        summary: 'Replace an API key by a new one; the old one stays valid for the overlap',
        body: RotateApiKeyBody,
        response: responses(
          RotatedApiKey,
          'ORGANIZATION_NOT_FOUND',
          'INSUFFICIENT_API_KEY_PERMISSIONS',
          'KEY_ALREADY_ROTATED',
          'API_KEY_LIMIT_REACHED',
        ),
      },
    },
    async (request) => {
      const { keyId, overlapSeconds = OVERLAP_SECONDS_DEFAULT } = request.body
      const input = { keyId, overlapSeconds }
      const { key, text } = await rotateApiKey(context, actorOf(request), requireMembership(request), input)
      return { ...toApiKey(key), key: text, replacedKeyId: keyId }
    },
  )

  app.get(
    '/api/auth/api-key/get',
    {
      config: {
        access: { organization: 'apiKey.read', namedBy: 'api key' },
        rateLimit: 'none',
        impersonated: 'refused',
      },
      schema: {
        summary: 'Get the properties of an API key, without the API key itself',
        querystring: GetApiKeyQuery,
        response: responses(ApiKey),
      },
    },
    async (request) => {
      const key = await findApiKey(context.database, request.query.id)
      if (!key) throw new ApiError('KEY_NOT_FOUND', { field: 'id' })
      return toApiKey(key)
    },
  )

  app.get(
    '/api/auth/api-key/list',
    {
      config: { access: { organization: 'apiKey.read' }, rateLimit: 'list', impersonated: 'refused' },
      schema: {
        summary: 'List the API keys of an organization',
        querystring: ListApiKeysQuery,
        response: responses(ListApiKeysResponse),
      },
    },
    async (request) => {
      const { organization } = requireMembership(request)
      const { apiKeys, ...page } = await listApiKeys(context, organization.id, request.query)
      return { apiKeys: apiKeys.map(toListedApiKey), ...page }
    },
  )

  app.post(
    '/api/auth/api-key/update',
    {
      config: {
        access: { organization: 'apiKey.update', namedBy: 'api key', fresh: true },
        rateLimit: 'change',
        impersonated: 'refused',
      },
      schema: {
        summary: 'Rename, disable or enable an API key, or change its expiry, role or metadata',
        body: UpdateApiKeyBody,
        response: responses(ApiKey, 'ORGANIZATION_NOT_FOUND', 'INSUFFICIENT_API_KEY_PERMISSIONS'),
      },
    },
    async (request) => {
      const { keyId, expiresIn, ...update } = request.body
      const input = { ...update, ...(expiresIn !== undefined && { expiresInSeconds: expiresIn }) }
      return toApiKey(await updateApiKey(context, actorOf(request), requireMembership(request), keyId, input))
    },
  )

  app.post(
    '/api/auth/api-key/delete',
    {
      config: {
        access: { organization: 'apiKey.delete', namedBy: 'api key', fresh: true },
        rateLimit: 'change',
        impersonated: 'refused',
      },
      schema: {
        summary: 'Delete an API key',
        body: DeleteApiKeyBody,
        response: responses(SuccessResponse, 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      await deleteApiKey(context, actorOf(request), requireMembership(request), request.body.keyId)
      return { success: true }
    },
  )

  app.post(
    '/api/auth/api-key/verify',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'allowed' },
      schema: {
        summary: 'Verify an API key for a service that received it; this is not a use of the API key',
        body: VerifyApiKeyBody,
        response: responses(VerifyApiKeyResponse),
      },
    },
    async (request) => {
      try {
        const { key, organization } = await verifyApiKey(context, request.body.key)
        return { valid: true, error: null, key: { ...toApiKey(key), organizationSlug: organization.slug } }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        await rateLimits.chargeWrongGuess(request, error)
        return { valid: false, error: { code: error.code, message: error.message }, key: null }
      }
    },
  )
}
