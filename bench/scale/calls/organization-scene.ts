import type { TestMember } from '../../../test/support/users.ts'
import type { Sent } from '../call.ts'
import type { Scene } from '../scene.ts'

const PATH = '/api/auth/organization'

export const asMember =
  (toQuery: (user: TestMember) => Record<string, string>) =>
  async (scene: Scene): Promise<Sent> => {
    const user = await scene.user()
    return { client: user.client, query: toQuery(user) }
  }
export const asOwner =
  (more: (owner: TestMember, scene: Scene) => Omit<Sent, 'client'>) =>
  async (scene: Scene): Promise<Sent> => {
    const owner = await scene.owner()
    return { client: owner.client, ...more(owner, scene) }
  }
export const named = ({ organization }: TestMember) => ({ organizationId: organization.id })

/** A new organization of a user, because the change ends or alters it. */
export async function ownOrganization(scene: Scene): Promise<TestMember> {
  const user = await scene.user()
  const slug = `new-${scene.context.now()}-${scene.next()}`
  const { status, body } = await user.client.post(`${PATH}/create`, { name: 'New Works', slug })
  if (status !== 200) throw new Error(`An organization could not be created: ${JSON.stringify(body)}`)
  return { ...user, organization: body }
}
