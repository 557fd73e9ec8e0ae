import type { AdapterPayload } from 'oidc-provider'
import type { OAuthArtifactRow } from '../../../platform/database/tables.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { takeAppTurn } from '../common/take-app-turn.ts'
import { findArtifact } from './store.ts'

/**
 * The turn comes before every read of the user, whose rights may change during the wait. A concurrent change of the row
 * is noticed when the token is used up.
 */
export async function findInTurn(context: OpenIdContext, idHash: string): Promise<OAuthArtifactRow | undefined> {
  const row = await findArtifact(context.database, idHash, context.now())
  if (!row || !isChangeOfTokens(context, row.clientId)) return row
  // A device code has no grant before the approval of the user, and none if the user denies the request.
  if (row.grantId === null) return row
  const { accountId: userId } = JSON.parse(row.payload) as AdapterPayload
  if (userId !== undefined) await takeAppTurn(context, userId)
  return row
}

/** Whether the request uses up or revokes tokens of this client. Another client is refused, and waits for nothing. */
export function isChangeOfTokens({ library }: OpenIdContext, clientId: string | null | undefined): boolean {
  const { route, client } = library.Provider.ctx?.oidc ?? {}
  return (route === 'token' || route === 'revocation') && client?.clientId === clientId
}
