import { addMember } from '../../../server/core/memberships/add-member.ts'
import type { TestMember } from '../../../test/support/users.ts'
import type { Calls } from '../call.ts'
import type { Scene } from '../scene.ts'
import { asMember, asOwner, named, ownOrganization } from './organization-scene.ts'

const PATH = '/api/auth/organization'

/** Another user in the organization. @returns the membership */
async function join({ context }: Scene, { organization }: TestMember, { id: userId }: TestMember): Promise<string> {
  const { database } = context
  await addMember(database, context, { organizationId: organization.id, userId, role: 'member' })
  const found = database.selectFrom('members').select('id').where('organizationId', '=', organization.id)
  return (await found.where('userId', '=', userId).executeTakeFirstOrThrow()).id
}

export const organizationCalls: Calls = {
  [`GET ${PATH}/list`]: asMember(() => ({})),
  [`GET ${PATH}/get-organization`]: asMember(named),
  [`GET ${PATH}/get-full-organization`]: asMember(named),
  [`GET ${PATH}/get-overview`]: asMember(named),
  [`GET ${PATH}/get-active-member`]: asMember(() => ({})),
  [`GET ${PATH}/get-active-member-role`]: asMember(named),
  [`GET ${PATH}/list-audit-events`]: async (scene) => {
    const owner = await scene.owner()
    return { client: owner.client, query: { ...named(owner), limit: '20' } }
  },
  [`POST ${PATH}/has-permission`]: async (scene) => {
    const { client, ...user } = await scene.user()
    return { client, body: { ...named({ client, ...user }), permissions: { member: ['update'] } } }
  },
  [`POST ${PATH}/check-slug`]: async (scene) => ({
    client: (await scene.user()).client,
    body: { slug: `free-${scene.next()}` },
  }),
  [`POST ${PATH}/create`]: async (scene) => ({
    client: (await scene.user()).client,
    body: { name: 'New Works', slug: `new-${scene.context.now()}-${scene.next()}` },
  }),
  [`POST ${PATH}/set-active`]: async (scene) => {
    const user = await scene.user()
    return { client: user.client, body: named(user) }
  },
  [`POST ${PATH}/update`]: asOwner((owner) => ({ body: { ...named(owner), data: { name: 'Other Works' } } })),
  [`POST ${PATH}/delete`]: async (scene) => {
    const owner = await ownOrganization(scene)
    return { client: owner.client, body: named(owner) }
  },
}

export const memberCalls: Calls = {
  [`GET ${PATH}/list-members`]: asMember(named),
  [`GET ${PATH}/list-members (search)`]: asMember((user) => ({ ...named(user), searchValue: 'maria' })),
  [`POST ${PATH}/leave`]: async (scene) => {
    const user = await scene.disposableUser()
    return { client: user.client, body: named(user) }
  },
  [`POST ${PATH}/remove-member`]: async (scene) => {
    const user = await scene.disposableUser()
    const { client } = await scene.ownerFor(user)
    return { client, body: { ...named(user), memberIdOrEmail: user.email } }
  },
  [`POST ${PATH}/update-member-role`]: async (scene) => {
    const owner = await ownOrganization(scene)
    const memberId = await join(scene, owner, await scene.user())
    return { client: owner.client, body: { ...named(owner), memberId, role: 'admin' } }
  },
  [`POST ${PATH}/transfer-ownership`]: async (scene) => {
    const owner = await ownOrganization(scene)
    const memberId = await join(scene, owner, await scene.user())
    return { client: owner.client, body: { ...named(owner), memberId } }
  },
}
