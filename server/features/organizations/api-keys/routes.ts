import { membershipOf } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { createApiKey } from './create-api-key.ts'
import { deleteApiKey } from './delete-api-key.ts'
import { getApiKey } from './get-api-key.ts'
import { listApiKeys } from './list-api-keys.ts'
import {
  ApiKey,
  CreateApiKeyBody,
  CreatedApiKey,
  DeleteApiKeyAnswer,
  DeleteApiKeyBody,
  GetApiKeyQuery,
  ListApiKeysAnswer,
  ListApiKeysQuery,
  UpdateApiKeyBody,
} from './schemas.ts'
import { updateApiKey } from './update-api-key.ts'
import { toApiKey } from './wire.ts'

/** The keys by which an organization's own programs say who they are. */
export function registerApiKeyRoutes(app: App, context: Context): void {
  app.post(
    '/api/auth/api-key/create',
    {
      config: { access: { organization: 'apiKey.create', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Make a key of an organization; the answer is the only one that shows it',
        body: CreateApiKeyBody,
        response: answers(CreatedApiKey, 'INSUFFICIENT_API_KEY_PERMISSIONS', 'API_KEY_LIMIT_REACHED'),
      },
    },
    async (request) => {
      const { name, role = 'member', expiresIn = null, metadata = null } = request.body
      const input = { name, role, expiresInSeconds: expiresIn, metadata }
      const { key, text } = await createApiKey(context, actorOf(request), membershipOf(request), input)
      return { ...toApiKey(key), key: text }
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
        summary: 'What is known of a key; not the key itself',
        querystring: GetApiKeyQuery,
        response: answers(ApiKey),
      },
    },
    async (request) => toApiKey(await getApiKey(context.database, request.query.id)),
  )

  app.get(
    '/api/auth/api-key/list',
    {
      config: { access: { organization: 'apiKey.read' }, rateLimit: 'none', impersonated: 'refused' },
      schema: {
        summary: 'The keys of an organization',
        querystring: ListApiKeysQuery,
        response: answers(ListApiKeysAnswer),
      },
    },
    async (request) => {
      const { apiKeys, ...page } = await listApiKeys(
        context.database,
        membershipOf(request).organization.id,
        request.query,
      )
      return { apiKeys: apiKeys.map(toApiKey), ...page }
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
        summary: 'Rename, disable or enable a key, or change its expiry, role or metadata',
        body: UpdateApiKeyBody,
        response: answers(ApiKey, 'ORGANIZATION_NOT_FOUND', 'INSUFFICIENT_API_KEY_PERMISSIONS'),
      },
    },
    async (request) => {
      const { keyId, expiresIn, ...update } = request.body
      const input = { ...update, ...(expiresIn !== undefined && { expiresInSeconds: expiresIn }) }
      return toApiKey(await updateApiKey(context, actorOf(request), membershipOf(request), keyId, input))
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
        summary: 'Delete a key',
        body: DeleteApiKeyBody,
        response: answers(DeleteApiKeyAnswer, 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      await deleteApiKey(context, actorOf(request), membershipOf(request), request.body.keyId)
      return { success: true }
    },
  )
}
