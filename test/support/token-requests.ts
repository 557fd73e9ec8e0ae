import type { Answer } from './client.ts'
import type { TestApp } from './openid.ts'
import { askToken, basic, postForm } from './protocol.ts'
import type { Service } from './service.ts'

export const introspect = (service: Service, app: TestApp, token: string): Promise<Answer> =>
  postForm(service, '/api/auth/oauth2/introspect', { token }, basic(app))

export const revoke = (service: Service, app: TestApp, token: string): Promise<Answer> =>
  postForm(service, '/api/auth/oauth2/revoke', { token }, basic(app))

export const refresh = (service: Service, app: TestApp, token: string, more = {}): Promise<Answer> =>
  askToken(service, app, { grant_type: 'refresh_token', refresh_token: token, ...more })

export const exchange = (service: Service, app: TestApp, token: string, more = {}): Promise<Answer> =>
  askToken(service, app, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    ...more,
  })

export const askUserinfo = (service: Service, token: string): Promise<Answer> =>
  service.client().get('/api/auth/oauth2/userinfo', { headers: { authorization: `Bearer ${token}`, origin: '' } })
