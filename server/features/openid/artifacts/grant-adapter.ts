import type { Adapter } from 'oidc-provider'
import { findGrantSubject } from '../grants/grant-subject.ts'
import { libraryTime, type OpenIdContext } from '../grants/openid-context.ts'
import { revokeGrant } from './access-token-adapter.ts'

/** A grant is read with what it stands on, so that every use of its tokens is checked in one place. */
export function createGrantAdapter(context: OpenIdContext): Adapter {
  return {
    async find(id) {
      const subject = await findGrantSubject(context, id)
      if (!subject) return undefined
      const { grant } = subject
      const resources = JSON.parse(grant.resources) as string[]
      return {
        kind: 'Grant',
        jti: id,
        accountId: grant.userId,
        clientId: grant.clientId,
        iat: libraryTime(context, grant.createdAt),
        exp: libraryTime(context, grant.expiresAt),
        openid: { scope: grant.scopes },
        resources: Object.fromEntries(resources.map((resource) => [resource, grant.scopes])),
      }
    },
    destroy: (id) => revokeGrant(context, id),
    upsert: async () => {
      throw new Error('A grant is stored with its first code')
    },
    consume: async () => {},
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    revokeByGrantId: async () => {},
  }
}
