import { enableTotp } from '../../../test/support/two-step.ts'
import type { Calls } from '../call.ts'
import { asAdmin, ask, newName, PATH } from './staff-scene.ts'

/** A change of a user whom no other request needs. */
const change = (body: Record<string, unknown> = {}) =>
  asAdmin(async (scene) => ({ body: { userId: (await scene.disposableUser()).id, ...body } }))
export const staffUserCalls: Calls = {
  [`GET ${PATH}/get-user`]: ask(({ id }) => ({ id })),
  [`GET ${PATH}/get-sign-in-status`]: ask(({ email }) => ({ email })),
  [`POST ${PATH}/create-user`]: asAdmin((scene) => ({
    body: { email: `user-${newName(scene)}@people.invalid`, name: 'Paula Parker' },
  })),
  [`POST ${PATH}/update-user`]: asAdmin(async (scene) => ({
    body: { userId: (await scene.user()).id, data: { name: 'Other' } },
  })),
  [`POST ${PATH}/set-user-password`]: change({ newPassword: 'another fine long password' }),
  [`POST ${PATH}/send-password-link`]: asAdmin(async (scene) => ({ body: { userId: (await scene.user()).id } })),
  [`POST ${PATH}/remove-user`]: change(),
  [`POST ${PATH}/set-role`]: change({ role: 'support' }),
  [`POST ${PATH}/has-permission`]: asAdmin(() => ({ body: { permissions: { user: ['ban'] } } })),
  [`POST ${PATH}/ban-user`]: change({ banReason: 'Spam' }),
  [`POST ${PATH}/unban-user`]: asAdmin(async (scene) => {
    const { id: userId } = await scene.disposableUser()
    await scene.context.database.updateTable('users').set({ banned: 1 }).where('id', '=', userId).execute()
    return { body: { userId } }
  }),
  [`POST ${PATH}/reset-two-factor`]: asAdmin(async (scene) => {
    const user = await scene.disposableUser()
    await enableTotp(scene.service, user)
    return { body: { userId: user.id, reason: 'Lost the phone' } }
  }),
  [`POST ${PATH}/list-user-sessions`]: asAdmin(async (scene) => ({ body: { userId: (await scene.user()).id } })),
  [`POST ${PATH}/revoke-user-session`]: asAdmin(async (scene) => ({
    body: { sessionToken: (await scene.disposableUser()).token },
  })),
  [`POST ${PATH}/revoke-user-sessions`]: change(),
  [`POST ${PATH}/impersonate-user`]: change(),
  [`POST ${PATH}/stop-impersonating`]: async (scene) => {
    const { client } = await scene.admin()
    const { id: userId } = await scene.user()
    await client.post(`${PATH}/impersonate-user`, { userId })
    return { client, body: {} }
  },
}
