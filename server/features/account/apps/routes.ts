import type { Static } from 'typebox'
import { requireCaller } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import type { ClientMetadata } from '../../../core/oauth-clients/metadata.ts'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses, StatusResponse } from '../../../platform/http/schemas.ts'
import { toIso } from '../../../platform/http/time.ts'
import { listApps } from './list-apps.ts'
import { revokeApp, revokeConsent } from './revoke-app.ts'
import { Apps, Consent, ConsentQuery, Consents, DeleteConsentBody, RevokeAppBody } from './schemas.ts'
import { type ConsentWithClient, listConsentRows } from './store.ts'

const READ = { access: 'session', rateLimit: 'none', impersonated: 'refused' } as const
const LIST = { ...READ, rateLimit: 'list' } as const
const CHANGE = { access: 'session', rateLimit: 'change', impersonated: 'refused' } as const

export function registerAppRoutes(app: HttpApp, context: Context): void {
  app.get(
    '/api/auth/oauth2/list-apps',
    {
      config: LIST,
      schema: { summary: "List the apps with access to the caller's account", response: responses(Apps) },
    },
    (request) => listApps(context, requireCaller(request).user.id),
  )

  app.post(
    '/api/auth/oauth2/revoke-app',
    {
      config: CHANGE,
      schema: {
        summary: "End the access of an app to the caller's account: consent, sessions and refresh tokens",
        body: RevokeAppBody,
        response: responses(StatusResponse, 'OAUTH_CLIENT_NOT_FOUND'),
      },
    },
    async (request) => {
      await revokeApp(context, actorOf(request), requireCaller(request).user.id, request.body.clientId)
      return { status: true }
    },
  )

  app.get(
    '/api/auth/oauth2/get-consents',
    { config: LIST, schema: { summary: "List the caller's consents", response: responses(Consents) } },
    async (request) => (await listConsentRows(context.database, requireCaller(request).user.id)).map(toConsent),
  )

  app.get(
    '/api/auth/oauth2/get-consent',
    {
      config: READ,
      schema: {
        summary: 'Get a consent of the caller',
        querystring: ConsentQuery,
        response: responses(Consent, 'OAUTH_CONSENT_NOT_FOUND'),
      },
    },
    async (request) => {
      const [consent] = await listConsentRows(context.database, requireCaller(request).user.id, request.query.id)
      if (!consent) throw new ApiError('OAUTH_CONSENT_NOT_FOUND', { field: 'id' })
      return toConsent(consent)
    },
  )

  app.post(
    '/api/auth/oauth2/delete-consent',
    {
      config: CHANGE,
      schema: {
        summary: 'Delete a consent of the caller, with the sessions and refresh tokens of the client',
        body: DeleteConsentBody,
        response: responses(StatusResponse, 'OAUTH_CONSENT_NOT_FOUND'),
      },
    },
    async (request) => {
      await revokeConsent(context, actorOf(request), requireCaller(request).user.id, request.body.id)
      return { status: true }
    },
  )
}

function toConsent({ clientMetadata, createdAt, updatedAt, ...consent }: ConsentWithClient): Static<typeof Consent> {
  const { logo_uri: logoUri = null } = JSON.parse(clientMetadata) as ClientMetadata
  const scopes = splitScopes(consent.scopes)
  return { ...consent, scopes, createdAt: toIso(createdAt), updatedAt: toIso(updatedAt), logoUri }
}
