import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import type { ClientMetadata } from '../../../core/oauth-clients/metadata.ts'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { isSelfRegistered } from '../../../core/oauth-clients/store.ts'
import { toIso, toIsoOrNull } from '../../../platform/http/time.ts'
import type { Apps } from './schemas.ts'
import { type AppRow, listAppRows, listGrantedScopes } from './store.ts'

/** First-party apps have a session only, and no consent. */
export async function listApps({ database, now }: Context, userId: string): Promise<Static<typeof Apps>> {
  const rows = await listAppRows(database, userId)
  const grants = await listGrantedScopes(database, userId, now())
  return rows.map((row) => {
    const { id, name, organizationName, consentId, lastUsedAt } = row
    const { client_uri: uri = null, logo_uri: logoUri = null, scope } = JSON.parse(row.metadata) as ClientMetadata
    const granted = grants.filter(({ clientId }) => clientId === id).map(({ scopes }) => scopes)
    const scopes = new Set(splitScopes([row.consentScopes ?? '', ...granted].join(' ')))
    // The client may be allowed fewer scopes now.
    const allowed = splitScopes(scope)
    return {
      clientId: id,
      name,
      uri,
      logoUri,
      organizationName,
      isSelfRegistered: isSelfRegistered(row),
      scopes: [...scopes].filter((name) => allowed.includes(name)),
      consentId,
      firstUsedAt: toIso(firstUseOf(row)),
      lastUsedAt: toIsoOrNull(lastUsedAt),
    }
  })
}

function firstUseOf({ consentedAt, signedInAt }: AppRow): number {
  return Math.min(consentedAt ?? Number.POSITIVE_INFINITY, signedInAt ?? Number.POSITIVE_INFINITY)
}
