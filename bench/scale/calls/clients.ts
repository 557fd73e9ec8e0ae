import { REDIRECT_URI } from '../../../test/support/openid.ts'
import type { TestMember } from '../../../test/support/users.ts'
import type { Calls } from '../call.ts'
import { idOf, SERVICE_CLIENTS } from '../names.ts'
import type { Scene } from '../scene.ts'

const OAUTH2 = '/api/auth/oauth2'
const METADATA = { client_name: 'New app', redirect_uris: [REDIRECT_URI] }

async function newClient(scene: Scene): Promise<{ client: TestMember['client']; id: string }> {
  const { client, organization } = await scene.owner()
  const { body } = await client.post(`${OAUTH2}/create-client`, { ...METADATA, organizationId: organization.id })
  return { client, id: body.client_id }
}

export const clientCalls: Calls = {
  [`POST ${OAUTH2}/create-client`]: async (scene) => {
    const { client, organization } = await scene.owner()
    return { client, body: { ...METADATA, organizationId: organization.id } }
  },
  [`GET ${OAUTH2}/get-client`]: async (scene) => ({
    client: (await scene.admin()).client,
    query: { client_id: idOf('cli', 1 + (scene.next() % SERVICE_CLIENTS)) },
  }),
  [`GET ${OAUTH2}/get-clients`]: async (scene) => {
    const { client, organization } = await scene.owner()
    return { client, query: { organizationId: organization.id } }
  },
  [`GET ${OAUTH2}/get-clients (of the service)`]: async (scene) => ({
    client: (await scene.admin()).client,
    query: { ownedBy: 'service' },
  }),
  [`POST ${OAUTH2}/update-client`]: async (scene) => {
    const { client, id } = await newClient(scene)
    return { client, body: { client_id: id, update: { disabled: true } } }
  },
  [`POST ${OAUTH2}/client/rotate-secret`]: async (scene) => {
    const { client, id } = await newClient(scene)
    return { client, body: { client_id: id } }
  },
  [`POST ${OAUTH2}/delete-client`]: async (scene) => {
    const { client, id } = await newClient(scene)
    return { client, body: { client_id: id } }
  },
  [`POST ${OAUTH2}/register`]: (scene) => ({ client: scene.service.client(), body: METADATA }),
}
