import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiKeyRow, OrganizationRow } from '../../platform/database/tables.ts'
import type { Cookies } from '../../platform/http/cookies.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { headerValues } from '../../platform/http/header-values.ts'
import { accessRuleOf } from './access-rules.ts'
import { listSessionTokens } from './caller.ts'

export interface AuthenticatedApiKey {
  key: ApiKeyRow
  organization: OrganizationRow
}

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: AuthenticatedApiKey | null
  }
}

/** @throws ApiError INVALID_API_KEY, KEY_DISABLED or KEY_EXPIRED */
export type VerifyApiKey = (text: string, request: FastifyRequest) => Promise<AuthenticatedApiKey>

export function authenticateApiKeys(app: FastifyInstance, cookies: Cookies, verifyApiKey: VerifyApiKey): void {
  app.decorateRequest('apiKey', null)
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['x-api-key'] === undefined) return done()
    if (accessRuleOf(request.routeOptions.config.access).replacedBy !== 'api key') return done()
    const credentials = new Set([...headerValues(request, 'x-api-key'), ...listSessionTokens(request, cookies)])
    if (credentials.size > 1) throw new ApiError('CONFLICTING_CREDENTIALS')
    const [text = ''] = credentials
    const work = verifyApiKey(text, request).then((apiKey) => {
      request.apiKey = apiKey
      done()
    }, done)
    app.finishBeforeClose(work)
  })
}
