import type { Adapter } from 'oidc-provider'
import { libraryTime, type OpenIdContext } from '../common/openid-context.ts'
import { findGrantSubject } from '../grants/grant-subject.ts'
import { revokeGrant } from './access-token-adapter.ts'
import { UNSTORED } from './plain-adapter.ts'

/** The row of a grant is inserted with its first code. Reading it checks its session, user and membership. */
export function createGrantAdapter(context: OpenIdContext): Adapter {
  return {
    ...UNSTORED,
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
  }
}
