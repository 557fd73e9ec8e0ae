import {
  authorizationRequest,
  createTestApp,
  signInTo,
  type TestApp,
  type Tokens,
} from '../../../test/support/openid.ts'
import { basic, interactionIn, newCodeForm, postForm } from '../../../test/support/protocol.ts'
import type { TestMember } from '../../../test/support/users.ts'
import type { Call, Calls, Sent } from '../call.ts'
import type { Scene } from '../scene.ts'

const OAUTH2 = '/api/auth/oauth2'
const DEVICE = '/api/auth/device'
/** Without the organization, which a user of several has to choose. */
const SCOPE = { scope: 'openid email offline_access' }

const apps = new WeakMap<Scene, Promise<{ trusted: TestApp; asking: TestApp }>>()

/** Two apps for all requests: one of the service, and one that asks for consent. */
function appsOf(scene: Scene): Promise<{ trusted: TestApp; asking: TestApp }> {
  const known = apps.get(scene) ?? createApps(scene)
  apps.set(scene, known)
  return known
}

async function createApps({ service }: Scene): Promise<{ trusted: TestApp; asking: TestApp }> {
  return { trusted: await createTestApp(service), asking: await createTestApp(service, {}, { skipConsent: 0 }) }
}

/** A request of an app, which has its secret and no cookies. */
const fromApp =
  (toForm: (scene: Scene, app: TestApp) => Record<string, string> | Promise<Record<string, string>>): Call =>
  async (scene) => {
    const { trusted } = await appsOf(scene)
    const form = await toForm(scene, trusted)
    return { client: scene.service.client(), headers: { ...basic(trusted), origin: '' }, form }
  }

async function tokensOf(scene: Scene): Promise<Tokens> {
  return signInTo(await scene.user(), (await appsOf(scene)).trusted, SCOPE)
}

async function authorize(scene: Scene): Promise<Record<string, string>> {
  const { path } = await authorizationRequest((await appsOf(scene)).trusted, SCOPE)
  return Object.fromEntries(new URL(path, 'http://service').searchParams)
}

/** A user at the consent page. */
async function asked(scene: Scene): Promise<{ user: TestMember; query: string; id: string }> {
  const user = await scene.user()
  const { asking } = await appsOf(scene)
  await scene.context.database
    .deleteFrom('oauthConsents')
    .where('userId', '=', user.id)
    .where('clientId', '=', asking.id)
    .execute()
  const answer = await user.client.get((await authorizationRequest(asking, SCOPE)).path)
  const { query, url } = interactionIn(answer, '/consent')
  return { user, query, id: url.searchParams.get('interaction') ?? '' }
}

export const authorizationCalls: Calls = {
  [`GET ${OAUTH2}/authorize`]: async (scene) => ({
    client: (await scene.user()).client,
    query: await authorize(scene),
  }),
  [`POST ${OAUTH2}/authorize`]: async (scene) => ({
    client: (await scene.user()).client,
    form: await authorize(scene),
  }),
  [`GET ${OAUTH2}/get-interaction`]: async (scene) => {
    const { user, id } = await asked(scene)
    return { client: user.client, query: { interaction: id } }
  },
  [`POST ${OAUTH2}/consent`]: async (scene) => {
    const { user, query } = await asked(scene)
    return { client: user.client, body: { accept: true, oauth_query: query } }
  },
  [`GET ${OAUTH2}/authorize/:interaction`]: async (scene) => {
    const { user, query, id } = await asked(scene)
    await user.client.post(`${OAUTH2}/consent`, { accept: true, oauth_query: query })
    return { client: user.client, parameters: { interaction: id } }
  },
  [`POST ${OAUTH2}/choose-organization`]: async (scene) => {
    const user = await scene.user()
    const { id } = await otherOrganization(scene, user)
    // A new app, because the choice of the organization is remembered.
    const { path } = await authorizationRequest(await createTestApp(scene.service))
    const { query } = interactionIn(await user.client.get(path), '/choose-organization')
    return { client: user.client, body: { organizationId: id, oauth_query: query } }
  },
}

async function otherOrganization(scene: Scene, { client }: TestMember): Promise<{ id: string }> {
  const slug = `new-${scene.context.now()}-${scene.next()}`
  return (await client.post('/api/auth/organization/create', { name: 'New Works', slug })).body
}

export const protocolCalls: Calls = {
  [`POST ${OAUTH2}/token`]: fromApp(async (scene, app) => newCodeForm(await scene.user(), app, SCOPE)),
  [`POST ${OAUTH2}/token (refresh)`]: fromApp(async (scene) => ({
    grant_type: 'refresh_token',
    refresh_token: (await tokensOf(scene)).refresh_token ?? '',
  })),
  [`POST ${OAUTH2}/token (client credentials)`]: fromApp(() => ({ grant_type: 'client_credentials' })),
  [`POST ${OAUTH2}/introspect`]: fromApp(async (scene) => ({ token: (await tokensOf(scene)).access_token })),
  [`POST ${OAUTH2}/revoke`]: fromApp(async (scene) => ({ token: (await tokensOf(scene)).refresh_token ?? '' })),
  [`POST ${OAUTH2}/par`]: fromApp((scene) => authorize(scene)),
  [`GET ${OAUTH2}/userinfo`]: async (scene) => bearer(scene, await tokensOf(scene)),
  [`POST ${OAUTH2}/userinfo`]: async (scene) => ({ ...bearer(scene, await tokensOf(scene)), form: {} }),
  [`GET ${OAUTH2}/end-session`]: async (scene) => ({
    client: (await scene.user()).client,
    query: { client_id: (await appsOf(scene)).trusted.id },
  }),
  [`POST ${DEVICE}/code`]: fromApp(() => ({ scope: 'openid' })),
}

function bearer(scene: Scene, { access_token }: Tokens): Sent {
  return { client: scene.service.client(), headers: { authorization: `Bearer ${access_token}`, origin: '' } }
}

/** The code that a device shows. */
async function userCode(scene: Scene): Promise<string> {
  const { trusted } = await appsOf(scene)
  const { body } = await postForm(scene.service, `${DEVICE}/code`, { scope: 'openid' }, basic(trusted))
  return body.user_code
}

export const deviceCalls: Calls = {
  [`GET ${DEVICE}`]: async (scene) => ({
    client: (await scene.user()).client,
    query: { user_code: await userCode(scene) },
  }),
  [`POST ${DEVICE}/approve`]: async (scene) => ({
    client: (await scene.user()).client,
    body: { userCode: await userCode(scene) },
  }),
  [`POST ${DEVICE}/deny`]: async (scene) => ({
    client: (await scene.user()).client,
    body: { userCode: await userCode(scene) },
  }),
}
