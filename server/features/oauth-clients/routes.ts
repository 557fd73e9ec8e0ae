import { Type } from 'typebox'
import { requireClientManager } from '../../core/access/access.ts'
import { actorOf } from '../../core/audit/actor.ts'
import { organizationIdOf } from '../../core/client-management/lock-manager.ts'
import type { Context } from '../../core/context.ts'
import { findOAuthClient, listOAuthClients } from '../../core/oauth-clients/store.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { responses, StatusResponse } from '../../platform/http/schemas.ts'
import { createClient } from './create-client.ts'
import { deleteClient } from './delete-client.ts'
import { METADATA_ERRORS } from './parse-metadata.ts'
import { rotateClientSecret } from './rotate-client-secret.ts'
import {
  ClientIdBody,
  ClientIdQuery,
  CreateClientBody,
  GetClientsQuery,
  OAuthClient,
  OAuthClientWithSecret,
  PublicClient,
  UpdateClientBody,
} from './schemas.ts'
import { updateClient } from './update-client.ts'
import { pickMetadata, toClient, toClientWithSecret, toPublicClient } from './wire.ts'

const READ = { access: { client: 'oauth-client.manage' }, rateLimit: 'none', impersonated: 'refused' } as const
const CHANGE = {
  access: { client: 'oauth-client.manage', fresh: true },
  rateLimit: 'change',
  impersonated: 'refused',
} as const

export function registerOAuthClientRoutes(app: HttpApp, context: Context): void {
  app.post(
    '/api/auth/oauth2/create-client',
    {
      config: CHANGE,
      schema: {
        summary: 'Create an OAuth client of an organization or of the service; no other response shows its secret',
        body: CreateClientBody,
        response: responses(
          OAuthClientWithSecret,
          'NO_ACTIVE_ORGANIZATION',
          'FIELD_NOT_ALLOWED',
          'OAUTH_CLIENT_LIMIT_REACHED',
          ...METADATA_ERRORS,
        ),
      },
    },
    async (request) => {
      const input = { metadata: pickMetadata(request.body), skipConsent: request.body.skip_consent ?? false }
      return toClientWithSecret(await createClient(context, actorOf(request), requireClientManager(request), input))
    },
  )

  app.get(
    '/api/auth/oauth2/get-client',
    {
      config: READ,
      schema: {
        summary: 'Get an OAuth client, without its secret',
        querystring: ClientIdQuery,
        response: responses(OAuthClient),
      },
    },
    async (request) => toClient(await getClient(context, request.query.client_id)),
  )

  app.get(
    '/api/auth/oauth2/get-clients',
    {
      config: { ...READ, rateLimit: 'list' },
      schema: {
        summary: 'List the OAuth clients of an organization or of the service',
        querystring: GetClientsQuery,
        response: responses(Type.Array(OAuthClient), 'NO_ACTIVE_ORGANIZATION'),
      },
    },
    async (request) => {
      const owner = organizationIdOf(requireClientManager(request))
      return (await listOAuthClients(context.database, owner)).map(toClient)
    },
  )

  app.post(
    '/api/auth/oauth2/update-client',
    {
      config: CHANGE,
      schema: {
        summary: 'Change an OAuth client; null removes a field',
        body: UpdateClientBody,
        response: responses(
          OAuthClientWithSecret,
          'NO_DATA_TO_UPDATE',
          'FIELD_NOT_ALLOWED',
          'METADATA_CHANGED',
          ...METADATA_ERRORS,
        ),
      },
    },
    async (request) => {
      const { client_id, update, expected } = request.body
      const { skip_consent: skipConsent, disabled } = update
      const input = {
        metadata: pickMetadata(update),
        ...(skipConsent !== undefined && { skipConsent }),
        ...(disabled !== undefined && { disabled }),
        ...(expected && { expected }),
      }
      const manager = requireClientManager(request)
      return toClientWithSecret(await updateClient(context, actorOf(request), manager, client_id, input))
    },
  )

  app.post(
    '/api/auth/oauth2/client/rotate-secret',
    {
      config: CHANGE,
      schema: {
        summary: 'Replace the secret of an OAuth client; the old one is refused at once',
        body: ClientIdBody,
        response: responses(OAuthClientWithSecret, 'OAUTH_CLIENT_HAS_NO_SECRET'),
      },
    },
    async (request) => {
      const manager = requireClientManager(request)
      return toClientWithSecret(await rotateClientSecret(context, actorOf(request), manager, request.body.client_id))
    },
  )

  app.post(
    '/api/auth/oauth2/delete-client',
    {
      config: CHANGE,
      schema: {
        summary: 'Delete an OAuth client, with all consents, sessions and refresh tokens',
        body: ClientIdBody,
        response: responses(StatusResponse),
      },
    },
    async (request) => {
      await deleteClient(context, actorOf(request), requireClientManager(request), request.body.client_id)
      return { status: true }
    },
  )

  app.get(
    '/api/auth/oauth2/public-client',
    {
      config: { access: 'session', rateLimit: 'none', impersonated: 'refused' },
      schema: {
        summary: 'Get what users may see of an OAuth client',
        querystring: ClientIdQuery,
        response: responses(PublicClient, 'OAUTH_CLIENT_NOT_FOUND'),
      },
    },
    async (request) => {
      const client = await getClient(context, request.query.client_id)
      if (client.disabled === 1) throw new ApiError('OAUTH_CLIENT_NOT_FOUND', { field: 'client_id' })
      return toPublicClient(client)
    },
  )
}

async function getClient({ database }: Context, id: string) {
  const client = await findOAuthClient(database, id)
  if (!client) throw new ApiError('OAUTH_CLIENT_NOT_FOUND', { field: 'client_id' })
  return client
}
