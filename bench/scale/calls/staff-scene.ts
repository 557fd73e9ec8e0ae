import type { TestMember } from '../../../test/support/users.ts'
import type { Sent } from '../call.ts'
import type { Scene } from '../scene.ts'

export const PATH = '/api/auth/admin'
/** As many rows as the smallest population has, so that no answer is longer in a larger one. */
export const PAGE = { limit: '5' }

export const asAdmin =
  (more: (scene: Scene) => Promise<Omit<Sent, 'client'>> | Omit<Sent, 'client'> = () => ({})) =>
  async (scene: Scene): Promise<Sent> => ({ ...(await more(scene)), client: (await scene.admin()).client })

/** A question about a user, an organization or nothing. */
export const ask = (toQuery: (user: TestMember, scene: Scene) => Record<string, string>) =>
  asAdmin(async (scene) => ({ query: toQuery(await scene.user(), scene) }))
export const list = (query: Record<string, string>) => ask(() => ({ ...PAGE, ...query }))
export const newName = (scene: Scene) => `${scene.context.now()}-${scene.next()}`
