import { initiateDeviceAuthorization } from 'openid-client'
import type { Answer } from './client.ts'
import { insertTestConsent } from './oauth-clients.ts'
import { authorizationRequest, createTestApp, locationOf, signInTo } from './openid.ts'
import type { Service } from './service.ts'
import { administratorWithOrganization, invite, member, type TestMember, tokenIn } from './users.ts'

const AUTH = '/api/auth'

/** What the reads of a service name. The reader is an administrator who owns an organization. */
interface ReadScene {
  reader: TestMember
  invitee: TestMember
  invitationId: string
  apiKey: { id: string; key: string }
  consentId: string
  clientId: string
  accessToken: string
  interaction: string
  userCode: string
  resetToken: string
  emailId: string
  script: string
}

async function createReadScene(service: Service): Promise<ReadScene> {
  const reader = await administratorWithOrganization(service)
  const invitee = await member(service, await administratorWithOrganization(service))
  const { client, id, email } = reader
  const { invitationId } = await invite(service, reader, invitee.email)
  const { body: apiKey } = await client.post(`${AUTH}/api-key/create`, { name: 'Payroll' })
  const scope = { scope: 'openid email' }
  const { consent } = await insertTestConsent(service, id)
  const { access_token: accessToken } = await signInTo(reader, await createTestApp(service), scope)
  const app = await createTestApp(service, {}, { skipConsent: 0 })
  const { searchParams } = locationOf(await client.get((await authorizationRequest(app, scope)).path))
  const { user_code: userCode } = await initiateDeviceAuthorization(app.config, scope)
  await service.client().post(`${AUTH}/request-password-reset`, { email })
  return {
    reader,
    invitee,
    invitationId,
    apiKey,
    consentId: consent.id,
    clientId: consent.clientId,
    accessToken,
    interaction: searchParams.get('interaction') ?? '',
    userCode,
    resetToken: await tokenIn(service, email),
    emailId: (await service.emails(email))[0]?.id ?? '',
    script: /src="\/assets\/([^"]+)"/.exec((await client.get('/sign-in')).body)?.[1] ?? '',
  }
}

/** The bodies of the POST routes that change nothing, except the last use of an API key. */
export const READS: Record<string, (scene: ReadScene) => object> = {
  [`${AUTH}/get-session`]: () => ({}),
  [`${AUTH}/organization/check-slug`]: () => ({ slug: 'new-works' }),
  [`${AUTH}/organization/has-permission`]: () => ({ permissions: { member: ['create'] } }),
  [`${AUTH}/admin/has-permission`]: () => ({ permissions: { user: ['get'] } }),
  [`${AUTH}/admin/list-user-sessions`]: ({ reader }) => ({ userId: reader.id }),
  '/api/reset-password/passkeys': ({ resetToken }) => ({ token: resetToken }),
  '/api/links/describe': ({ resetToken }) => ({ token: resetToken }),
  [`${AUTH}/api-key/verify`]: ({ apiKey }) => ({ key: apiKey.key }),
}

/** GET routes with parameters in the path or the query. The other ones are called without. */
const PARAMETERS: Record<string, (scene: ReadScene) => Record<string, string>> = {
  [`${AUTH}/oauth2/get-consent`]: ({ consentId }) => ({ id: consentId }),
  [`${AUTH}/oauth2/get-client`]: ({ clientId }) => ({ client_id: clientId }),
  [`${AUTH}/oauth2/public-client`]: ({ clientId }) => ({ client_id: clientId }),
  [`${AUTH}/oauth2/get-interaction`]: ({ interaction }) => ({ interaction }),
  [`${AUTH}/device`]: ({ userCode }) => ({ user_code: userCode }),
  [`${AUTH}/reset-password/:token`]: ({ resetToken }) => ({ token: resetToken, callbackURL: '/reset-password' }),
  [`${AUTH}/organization/preview-invitation`]: () => ({ role: 'member' }),
  [`${AUTH}/organization/get-invitation`]: ({ invitationId }) => ({ id: invitationId }),
  [`${AUTH}/api-key/get`]: ({ apiKey }) => ({ id: apiKey.id }),
  [`${AUTH}/admin/get-user`]: ({ reader }) => ({ id: reader.id }),
  [`${AUTH}/admin/list-user-apps`]: ({ reader }) => ({ userId: reader.id }),
  [`${AUTH}/admin/list-user-emails`]: ({ reader }) => ({ userId: reader.id }),
  [`${AUTH}/admin/list-user-events`]: ({ reader }) => ({ userId: reader.id }),
  [`${AUTH}/admin/list-user-memberships`]: ({ reader }) => ({ userId: reader.id }),
  [`${AUTH}/admin/get-sign-in-status`]: ({ reader }) => ({ userId: reader.id }),
  [`${AUTH}/admin/get-organization`]: ({ reader }) => ({ id: reader.organization.id }),
  [`${AUTH}/admin/list-organization-members`]: ({ reader }) => ({ organizationId: reader.organization.id }),
  '/api/token': ({ reader }) => ({ org: reader.organization.slug }),
  '/dev/mailbox/emails/:id.html': ({ emailId }) => ({ id: emailId }),
  '/assets/:file': ({ script }) => ({ file: script }),
}

export interface Read {
  name: string
  send: () => Promise<Answer>
}

/** A successful call of every GET route, except the given ones, and of every POST route in `READS`. */
export async function createReads(service: Service, leftOut: string[]): Promise<Read[]> {
  const scene = await createReadScene(service)
  const { client } = scene.reader
  const urls = service.routes.filter(({ method }) => method === 'GET').map(({ url }) => url)
  const gets = urls
    .filter((url) => !leftOut.includes(url))
    .map((url) => ({ name: `GET ${url}`, send: () => get(scene, url) }))
  const posts = Object.entries(READS).map(([url, bodyOf]) => ({
    name: `POST ${url}`,
    send: () => client.post(url, bodyOf(scene)),
  }))
  return [...gets, ...posts]
}

function get(scene: ReadScene, url: string): Promise<Answer> {
  const parameters = new URLSearchParams(PARAMETERS[url]?.(scene))
  const path = url.replace(/:(\w+)/g, (_, name) => parameters.get(name) ?? 'any')
  const { client } = url.endsWith('/get-invitation') ? scene.invitee : scene.reader
  const headers = url.endsWith('/userinfo') ? { authorization: `Bearer ${scene.accessToken}` } : {}
  const inQuery = [...parameters].filter(([name]) => !url.includes(`:${name}`))
  return client.get(`${path}?${new URLSearchParams(inQuery)}`, { headers })
}
