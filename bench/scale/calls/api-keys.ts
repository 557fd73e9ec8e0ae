import type { TestMember } from '../../../test/support/users.ts'
import type { Calls } from '../call.ts'
import { idOf } from '../names.ts'
import type { Scene } from '../scene.ts'
import { asOwner, named } from './organization-scene.ts'

interface NewKey extends Pick<TestMember, 'client' | 'organization'> {
  keyId: string
  /** The text of the API key. */
  key: string
}

async function newKey(scene: Scene): Promise<NewKey> {
  const { client, organization } = await scene.owner()
  const made = await client.post('/api/auth/api-key/create', { name: 'New key', organizationId: organization.id })
  if (made.status !== 200) throw new Error(`An API key could not be created: ${JSON.stringify(made.body)}`)
  return { client, organization, keyId: made.body.id, key: made.body.key }
}

export const apiKeyCalls: Calls = {
  'POST /api/auth/api-key/create': asOwner((owner) => ({ body: { ...named(owner), name: 'New key' } })),
  'GET /api/auth/api-key/list': asOwner((owner) => ({ query: { ...named(owner), limit: '5' } })),
  'GET /api/auth/api-key/get': asOwner((owner) => ({
    query: { id: idOf('apk', Number(owner.organization.slug.slice('organization-'.length)) * 5) },
  })),
  'POST /api/auth/api-key/rotate': async (scene) => {
    const { client, keyId } = await newKey(scene)
    return { client, body: { keyId } }
  },
  'POST /api/auth/api-key/update': async (scene) => {
    const { client, keyId } = await newKey(scene)
    return { client, body: { keyId, name: 'Other key' } }
  },
  'POST /api/auth/api-key/delete': async (scene) => {
    const { client, keyId } = await newKey(scene)
    return { client, body: { keyId } }
  },
  'POST /api/auth/api-key/verify': async (scene) => ({
    client: scene.service.client(),
    body: { key: (await newKey(scene)).key },
  }),
  'GET /api/token (API key)': async (scene) => {
    const { key, organization } = await newKey(scene)
    return { client: scene.service.client(), headers: { 'x-api-key': key }, query: { org: organization.slug } }
  },
}
