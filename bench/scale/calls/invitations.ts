import { formatReference } from '../../../server/core/invitations/reference.ts'
import { insertInvitations } from '../../../server/core/invitations/store.ts'
import { hashToken, newId, newToken } from '../../../server/platform/crypto/tokens.ts'
import type { TestMember } from '../../../test/support/users.ts'
import { PASSWORD } from '../../population.ts'
import type { Calls, Sent } from '../call.ts'
import type { Scene } from '../scene.ts'
import { asMember, asOwner, named, ownOrganization } from './organization-scene.ts'

const PATH = '/api/auth/organization'
const WEEK = 7 * 86_400_000

const newEmail = (scene: Scene) => `invited-${scene.context.now()}-${scene.next()}@people.invalid`

/** An open invitation of a seeded organization. */
async function invite(scene: Scene, owner: TestMember, email: string): Promise<{ id: string; reference: string }> {
  const { context } = scene
  const secret = newToken(context)
  const id = newId('inv', context)
  const createdAt = context.now()
  await insertInvitations(context.database, [
    {
      id,
      organizationId: owner.organization.id,
      email,
      role: 'member',
      inviterId: owner.id,
      status: 'pending',
      secretHash: hashToken(secret),
      createdAt,
      expiresAt: createdAt + WEEK,
    },
  ])
  return { id, reference: formatReference(id, secret) }
}

/** A user with an invitation to the organization of another one. */
async function invitedUser(scene: Scene): Promise<{ user: TestMember; id: string }> {
  const user = await scene.user()
  const owner = await ownOrganization(scene)
  return { user, ...(await invite(scene, owner, user.email)) }
}

const answered = async (scene: Scene): Promise<Sent> => {
  const { user, id } = await invitedUser(scene)
  return { client: user.client, body: { invitationId: id } }
}

export const invitationCalls: Calls = {
  [`POST ${PATH}/invite-member`]: asOwner((owner, scene) => ({
    body: { ...named(owner), email: newEmail(scene), role: 'member' },
  })),
  [`POST ${PATH}/invite-members`]: asOwner((owner, scene) => ({
    body: { ...named(owner), emails: [newEmail(scene), newEmail(scene)], role: 'member' },
  })),
  [`GET ${PATH}/preview-invitation`]: asOwner((owner) => ({ query: { ...named(owner), role: 'member' } })),
  [`GET ${PATH}/list-invitations`]: asOwner((owner) => ({ query: { ...named(owner), limit: '20' } })),
  [`GET ${PATH}/list-invitations (failed)`]: asOwner((owner) => ({ query: { ...named(owner), status: 'failed' } })),
  [`GET ${PATH}/list-user-invitations`]: asMember(() => ({})),
  [`GET ${PATH}/get-invitation`]: async (scene) => {
    const { user, id } = await invitedUser(scene)
    return { client: user.client, query: { id } }
  },
  [`POST ${PATH}/cancel-invitation`]: async (scene) => {
    const owner = await scene.owner()
    const { id } = await invite(scene, owner, newEmail(scene))
    return { client: owner.client, body: { invitationId: id } }
  },
  [`POST ${PATH}/accept-invitation`]: answered,
  [`POST ${PATH}/reject-invitation`]: answered,
  'GET /invite/:reference': async (scene) => {
    const { reference } = await invite(scene, await scene.owner(), newEmail(scene))
    return { client: scene.service.client(), parameters: { reference } }
  },
  'GET /api/invitation': async (scene) => ({ client: (await openedInvitation(scene)).client }),
  'POST /api/auth/sign-up/email': async (scene) => {
    const { client, email } = await openedInvitation(scene)
    return { client, body: { name: 'Hilda Hire', email, password: PASSWORD } }
  },
}

/** A browser that has followed the link of an invitation. */
async function openedInvitation(scene: Scene): Promise<{ client: TestMember['client']; email: string }> {
  const email = newEmail(scene)
  const { reference } = await invite(scene, await scene.owner(), email)
  const client = scene.service.client()
  await client.get(`/invite/${reference}`)
  return { client, email }
}
