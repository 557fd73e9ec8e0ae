import { createAuthenticator } from '../../../test/support/authenticator.ts'
import { addPasskey, authenticateOptions, registerOptions } from '../../../test/support/passkeys.ts'
import { enableEmailCodes, enableTotp, firstStep } from '../../../test/support/two-step.ts'
import type { TestMember } from '../../../test/support/users.ts'
import { PASSWORD } from '../../population.ts'
import type { Calls, Sent } from '../call.ts'
import type { Scene } from '../scene.ts'

const PASSKEY = '/api/auth/passkey'
const STEP = '/api/auth/two-factor'

export const passkeyCalls: Calls = {
  [`GET ${PASSKEY}/generate-register-options`]: async (scene) => ({ client: (await scene.user()).client }),
  [`POST ${PASSKEY}/verify-registration`]: async (scene) => {
    const { client } = await scene.user()
    const response = createAuthenticator(scene.service.baseUrl).create(await registerOptions(client))
    return { client, body: { response } }
  },
  [`GET ${PASSKEY}/generate-authenticate-options`]: (scene) => ({ client: scene.service.client() }),
  [`POST ${PASSKEY}/verify-authentication`]: async (scene) => {
    const { authenticator } = await addPasskey(scene.service, await scene.user())
    const client = scene.service.client()
    return { client, body: { response: authenticator.get(await authenticateOptions(client)) } }
  },
  [`GET ${PASSKEY}/list-user-passkeys`]: async (scene) => ({ client: (await scene.user()).client }),
  [`POST ${PASSKEY}/update-passkey`]: async (scene) => {
    const { client, passkeyId } = await addPasskey(scene.service, await scene.user())
    return { client, body: { id: passkeyId, name: 'Kitchen laptop' } }
  },
  [`POST ${PASSKEY}/delete-passkey`]: async (scene) => {
    const { client, passkeyId } = await addPasskey(scene.service, await scene.user())
    return { client, body: { id: passkeyId } }
  },
}

type App = Awaited<ReturnType<typeof enableTotp>>

const withApp =
  (more: (app: App, user: TestMember, scene: Scene) => Omit<Sent, 'client'> | Promise<Omit<Sent, 'client'>>) =>
  async (scene: Scene): Promise<Sent> => {
    const user = await scene.disposableUser()
    return { client: user.client, ...(await more(await enableTotp(scene.service, user), user, scene)) }
  }
const code = (app: App, { context }: Scene) => app.codeAt(context.now())

export const twoStepCalls: Calls = {
  [`GET ${STEP}/get-status`]: async (scene) => ({ client: (await scene.user()).client }),
  [`GET ${STEP}/list-trusted-devices`]: async (scene) => ({ client: (await scene.user()).client }),
  [`POST ${STEP}/enable`]: async (scene) => ({
    client: (await scene.disposableUser()).client,
    body: { password: PASSWORD },
  }),
  [`POST ${STEP}/get-totp-uri`]: withApp(() => ({ body: { password: PASSWORD } })),
  [`POST ${STEP}/generate-backup-codes`]: withApp(() => ({ body: { password: PASSWORD } })),
  [`POST ${STEP}/disable`]: withApp(() => ({ body: { password: PASSWORD } })),
  [`POST ${STEP}/verify-totp`]: withApp((app, _user, scene) => ({ body: { code: code(app, scene) } })),
  [`POST ${STEP}/verify-totp (sign-in)`]: async (scene) => {
    const user = await scene.disposableUser()
    const app = await enableTotp(scene.service, user)
    const client = scene.service.client()
    await firstStep(client, user.email)
    return { client, body: { code: code(app, scene) } }
  },
  [`POST ${STEP}/verify-backup-code`]: withApp(({ backupCodes }) => ({ body: { code: backupCodes[0] } })),
  [`POST ${STEP}/send-otp`]: async (scene) => {
    const user = await scene.disposableUser()
    await enableEmailCodes(scene.service, user)
    return { client: user.client, body: {} }
  },
  [`POST ${STEP}/verify-otp`]: async (scene) => {
    const user = await scene.disposableUser()
    await enableEmailCodes(scene.service, user)
    await user.client.post(`${STEP}/send-otp`)
    const [email] = await scene.service.emails(user.email)
    return { client: user.client, body: { code: /\b\d{6}\b/.exec(email?.text ?? '')?.[0] } }
  },
  [`POST ${STEP}/revoke-trusted-device`]: withApp(async (app, { client }, scene) => {
    await client.post(`${STEP}/verify-totp`, { code: code(app, scene), trustDevice: true })
    const [device] = (await client.get(`${STEP}/list-trusted-devices`)).body
    return { body: { id: device.id } }
  }),
}
