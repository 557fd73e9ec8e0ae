import type { KoaContextWithOIDC } from 'oidc-provider'
import { deleteClientSessions } from '../../../core/client-sessions/store.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { revokeSessionsOfTokens } from '../../../core/sessions/revoke-session.ts'
import { getRequestState, type RequestState } from '../common/request-state.ts'

export async function readLogOut(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  if (ctx.oidc?.route !== 'end_session_confirm') return
  const { session, client } = ctx.oidc
  const isSignedOut = (session as { destroyed?: boolean } | undefined)?.destroyed === true
  getRequestState().logOut = { isSignedOut, clientId: client?.clientId }
}

/** @param tokens all session tokens of the request: a cookie that remains must not sign in again */
export async function endSession(
  context: Context,
  { caller, actor, logOut }: RequestState,
  tokens: string[],
): Promise<void> {
  if (!caller || !logOut) return
  const { session, user } = caller
  const { isSignedOut, clientId } = logOut
  if (isSignedOut) return revokeSessionsOfTokens(context, actor, tokens)
  if (clientId === undefined) return
  await inTransaction(context, actor, async (unit) => {
    const hadSession = await deleteClientSessions(unit.transaction, { sessionId: session.id, clientId })
    if (hadSession) await unit.record({ action: 'oauth-grant.revoked', subjectId: user.id, details: { clientId } })
  })
}
