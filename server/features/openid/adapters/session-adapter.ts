import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Caller } from '../../../core/access/caller.ts'
import { listAuthenticationMethods } from '../../../core/access/second-step.ts'
import { listClientSessions } from '../../../core/client-sessions/store.ts'
import { acrOf, authTimeOf } from '../common/claims.ts'
import { libraryTime, type OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import { createPlainAdapter } from './plain-adapter.ts'

/** The library's session is that of the caller. Only details of a log-out page are stored, also without a session. */
export function createSessionAdapter(context: OpenIdContext): Adapter {
  const stored = createPlainAdapter(context, 'Session')
  const findDetails = async (id: string) => {
    const details = await stored.find(id)
    return details ? withAllowedTarget(context, details) : undefined
  }
  const findOfCaller = async (id: string) => {
    const { caller } = getRequestState()
    if (caller?.session.id !== id) return undefined
    const details = await findDetails(id)
    return { ...(await toPayload(context, caller)), ...(details && { state: details.state }) }
  }
  return {
    ...stored,
    find: async (id) => {
      if (getRequestState().caller) return findOfCaller(id)
      // Staff see session ids. A browser that sends one must not change the log-out page of that session.
      return id.startsWith('ses_') ? undefined : findDetails(id)
    },
    findByUid: findOfCaller,
    async upsert(id, { accountId, uid, state, iat, exp }, lifetimeSeconds) {
      // The library would give a signed-in browser a new id, so the details are stored under the id of the session.
      const key = accountId === undefined ? id : uid
      if (key !== undefined && (state !== undefined || accountId === undefined))
        await stored.upsert(key, { uid, state, iat, exp }, lifetimeSeconds)
    },
    // The session itself is deleted by sign-out.
    destroy: async () => {},
  }
}

interface LogOutState {
  clientId?: string | undefined
  postLogoutRedirectUri?: string | undefined
}

/** The client may have lost the address, or been disabled, while the log-out page was open. */
async function withAllowedTarget({ library }: OpenIdContext, details: AdapterPayload): Promise<AdapterPayload> {
  const { clientId, postLogoutRedirectUri: target } = (details.state ?? {}) as LogOutState
  if (clientId === undefined) return details
  const client = await library.Provider.ctx?.oidc.provider.Client.find(clientId)
  if (!client) return withState(details, { clientId: undefined, postLogoutRedirectUri: undefined })
  if (target === undefined || client.postLogoutRedirectUriAllowed(target)) return details
  return withState(details, { postLogoutRedirectUri: undefined })
}

function withState(details: AdapterPayload, state: LogOutState): AdapterPayload {
  return { ...details, state: { ...details.state, ...state } }
}

async function toPayload(context: OpenIdContext, { user, session }: Caller): Promise<AdapterPayload> {
  const clients = await listClientSessions(context.database, session.id)
  return {
    kind: 'Session',
    jti: session.id,
    uid: session.id,
    accountId: user.id,
    loginTs: authTimeOf(session),
    amr: listAuthenticationMethods(session),
    acr: acrOf(session),
    iat: libraryTime(context, session.createdAt),
    exp: libraryTime(context, session.expiresAt),
    authorizations: Object.fromEntries(clients.map(({ clientId, sid }) => [clientId, { sid }])),
  }
}
