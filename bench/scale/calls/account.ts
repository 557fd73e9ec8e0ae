import { createToken } from '../../../server/core/single-use-tokens/single-use-tokens.ts'
import type { TokenPurpose } from '../../../server/platform/database/tables.ts'
import { insertTestSession } from '../../../test/support/client-sessions.ts'
import { insertTestConsent } from '../../../test/support/oauth-clients.ts'
import type { TestMember } from '../../../test/support/users.ts'
import { PASSWORD } from '../../population.ts'
import type { Calls, Sent } from '../call.ts'
import { idOf } from '../names.ts'
import type { Scene } from '../scene.ts'

const NEW_PASSWORD = 'another fine long password'

/** An own request of a user of the population. */
const own =
  (more: Omit<Sent, 'client'> = {}) =>
  async (scene: Scene): Promise<Sent> => ({ client: (await scene.user()).client, ...more })

/** A link of an email. */
async function link(
  { context }: Scene,
  purpose: TokenPurpose,
  { id: userId }: Pick<TestMember, 'id'>,
  data: Record<string, unknown> = {},
): Promise<string> {
  return createToken(context.database, context, purpose, { userId, data })
}

const newEmail = (scene: Scene) => `new-${scene.context.now()}-${scene.next()}@people.invalid`

export const sessionCalls: Calls = {
  'GET /api/auth/get-session': own(),
  'POST /api/auth/get-session': own({ body: {} }),
  'GET /api/auth/list-sessions': own(),
  'GET /api/auth/list-security-events': own(),
  'GET /api/auth/list-impersonations': async (scene) => ({ client: (await scene.admin()).client }),
  'POST /api/auth/update-session': own({ body: { theme: 'dark' } }),
  'POST /api/auth/sign-out': async (scene) => ({ client: (await scene.disposableUser()).client, body: {} }),
  'POST /api/auth/revoke-session': async (scene) => {
    const user = await scene.disposableUser()
    const { token } = await insertTestSession(scene.service, user)
    return { client: user.client, body: { token } }
  },
  'POST /api/auth/revoke-sessions': async (scene) => ({ client: (await scene.disposableUser()).client, body: {} }),
  'POST /api/auth/revoke-other-sessions': async (scene) => ({
    client: (await scene.disposableUser()).client,
    body: {},
  }),
}

export const passwordCalls: Calls = {
  'POST /api/auth/sign-in/email': async (scene) => {
    const { email } = await scene.user()
    return { client: scene.service.client(), body: { email, password: PASSWORD } }
  },
  'POST /api/auth/verify-password': own({ body: { password: PASSWORD } }),
  'POST /api/auth/change-password': async (scene) => {
    const { client } = await scene.disposableUser()
    return { client, body: { currentPassword: PASSWORD, newPassword: NEW_PASSWORD } }
  },
  'POST /api/auth/request-password-reset': async (scene) => {
    const { email } = await scene.user()
    return { client: scene.service.client(), body: { email } }
  },
  'GET /api/auth/reset-password/:token': async (scene) => {
    const token = await link(scene, 'reset password', await scene.user())
    return { client: scene.service.client(), parameters: { token }, query: { callbackURL: '/account' } }
  },
  'POST /api/reset-password/passkeys': async (scene) => {
    const token = await link(scene, 'reset password', await scene.user())
    return { client: scene.service.client(), body: { token } }
  },
  'POST /api/auth/reset-password': async (scene) => {
    const token = await link(scene, 'reset password', await scene.disposableUser())
    return { client: scene.service.client(), body: { token, newPassword: NEW_PASSWORD } }
  },
}

export const emailCalls: Calls = {
  'POST /api/auth/send-verification-email': async (scene) => {
    const { email } = await scene.user()
    return { client: scene.service.client(), body: { email } }
  },
  'GET /api/auth/verify-email': async (scene) => {
    const user = await scene.user()
    return { client: user.client, query: { token: await link(scene, 'verify email', user, { email: user.email }) } }
  },
  'POST /api/auth/change-email': async (scene) => ({
    client: (await scene.disposableUser()).client,
    body: { newEmail: newEmail(scene) },
  }),
  'POST /api/undo-change-email': async (scene) => {
    const token = await link(scene, 'undo email change', await scene.disposableUser(), { oldEmail: newEmail(scene) })
    return { client: scene.service.client(), body: { token } }
  },
  'POST /api/links/describe': async (scene) => {
    const token = await link(scene, 'reset password', await scene.user())
    return { client: scene.service.client(), body: { token } }
  },
}

export const profileCalls: Calls = {
  'GET /api/auth/list-accounts': own(),
  'POST /api/auth/update-user': own({ body: { name: 'Another Name' } }),
  'GET /api/auth/delete-user/preview': own(),
  'POST /api/auth/delete-user': async (scene) => ({
    client: (await scene.disposableUser()).client,
    body: { password: PASSWORD },
  }),
  'GET /api/auth/delete-user/callback': async (scene) => {
    const user = await scene.disposableUser()
    return { client: user.client, query: { token: await link(scene, 'delete user', user) } }
  },
}

export const appCalls: Calls = {
  'GET /api/auth/oauth2/list-apps': own(),
  'GET /api/auth/oauth2/get-consents': own(),
  'GET /api/auth/oauth2/get-consent': async (scene) => {
    const { client, id } = await scene.user()
    const { consent } = await insertTestConsent(scene.service, id)
    return { client, query: { id: consent.id } }
  },
  'POST /api/auth/oauth2/delete-consent': async (scene) => {
    const { client, id } = await scene.user()
    const { consent } = await insertTestConsent(scene.service, id)
    return { client, body: { id: consent.id } }
  },
  'POST /api/auth/oauth2/revoke-app': async (scene) => {
    const { client, id } = await scene.user()
    const { consent } = await insertTestConsent(scene.service, id)
    return { client, body: { clientId: consent.clientId } }
  },
  'GET /api/auth/oauth2/public-client': own({ query: { client_id: idOf('cli', 7) } }),
}

export const tokenCalls: Calls = {
  'GET /api/token': async (scene) => {
    const { client, organization } = await scene.user()
    return { client, query: { org: organization.slug } }
  },
  'GET /api/auth/token': own(),
}
