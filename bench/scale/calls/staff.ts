import type { Calls } from '../call.ts'
import type { Scene } from '../scene.ts'
import { asAdmin, ask, list, newName, PATH } from './staff-scene.ts'

const newOrganization = (scene: Scene) => ({
  name: 'Works',
  slug: `staff-${newName(scene)}`,
  ownerEmail: `owner-${newName(scene)}@people.invalid`,
})

export const staffOtherCalls: Calls = {
  [`POST ${PATH}/create-organization`]: asAdmin((scene) => ({ body: newOrganization(scene) })),
  [`POST ${PATH}/invite-owner`]: asAdmin(async (scene) => {
    const { client } = await scene.admin()
    const { body } = await client.post(`${PATH}/create-organization`, newOrganization(scene))
    return { body: { organizationId: body.organization.id, ownerEmail: newOrganization(scene).ownerEmail } }
  }),
  [`GET ${PATH}/list-emails`]: list({}),
  [`GET ${PATH}/list-emails (recipient)`]: ask((_user, scene) => ({
    recipient: `invited-${1 + (scene.next() % scene.users)}@people.invalid`,
  })),
  [`GET ${PATH}/list-emails (kind)`]: list({ kind: 'reset password' }),
  [`GET ${PATH}/list-emails (sent)`]: list({ status: 'sent' }),
  [`GET ${PATH}/list-emails (failed)`]: list({ status: 'failed', limit: '2' }),
  [`GET ${PATH}/list-emails (failed, of a kind)`]: list({ status: 'failed', kind: 'invitation', limit: '2' }),
  [`GET ${PATH}/list-emails (queued)`]: list({ status: 'queued' }),
  [`GET ${PATH}/list-user-emails`]: ask(({ id }) => ({ userId: id })),
  [`POST ${PATH}/retry-email`]: asAdmin(async (scene) => ({ body: { emailId: await failedEmail(scene) } })),
  [`POST ${PATH}/send-test-email`]: async (scene) => {
    // Another administrator each time, because one address gets a few of these emails in an hour.
    const { client, id } = await scene.disposableUser()
    await scene.context.database.updateTable('users').set({ role: 'admin' }).where('id', '=', id).execute()
    return { client, body: {} }
  },
  [`GET ${PATH}/statistics`]: asAdmin(),
  [`GET ${PATH}/list-throttles`]: asAdmin(),
  [`POST ${PATH}/clear-throttle`]: asAdmin(async (scene) => ({
    body: { key: `change user ${(await scene.admin()).id}` },
  })),
  [`GET ${PATH}/get-system`]: asAdmin(),
}

/** An email whose text is stored still, so that it can be sent again. */
async function failedEmail(scene: Scene): Promise<string> {
  const { client, organization } = await scene.owner()
  const email = `failed-${newName(scene)}@people.invalid`
  const body = { email, role: 'member', organizationId: organization.id }
  await client.post('/api/auth/organization/invite-member', body)
  const { id } = await scene.context.database
    .updateTable('outbox')
    .set({ failedAt: scene.context.now() })
    .where('recipient', '=', email)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
