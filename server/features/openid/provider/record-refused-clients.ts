import type { KoaContextWithOIDC, default as Provider } from 'oidc-provider'
import type { Context } from '../../../core/context.ts'
import { ownMetadataOf } from '../common/client-metadata.ts'
import { getRequestState } from '../common/request-state.ts'
import { ERROR_EVENTS } from './describe-errors.ts'

/** The listeners must run after those of `describeErrors`. */
export function recordRefusedClients(provider: Provider, { repeatedEvents }: Pick<Context, 'repeatedEvents'>): void {
  for (const event of ERROR_EVENTS)
    provider.on(event as 'grant.error', (ctx) => {
      const answer = ctx.body as { error: string } | undefined
      if (answer?.error === 'invalid_client')
        repeatedEvents.add(getRequestState().actor, { action: 'access.refused', ...describe(ctx) })
    })
}

function describe({ path, oidc: { client } }: KoaContextWithOIDC) {
  const details = { route: path, code: 'invalid_client' }
  // The id of an unknown app is any text.
  if (!client) return { details }
  const { organizationId } = ownMetadataOf(client)
  return {
    ...(organizationId !== null && { organizationId }),
    details: { ...details, clientId: client.clientId, name: client.clientName ?? '' },
  }
}
