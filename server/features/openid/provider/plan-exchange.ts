import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { ownMetadataOf } from '../common/client-metadata.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { ACCESS_TOKEN_SECONDS } from '../common/scopes.ts'
import { takeAppTurn } from '../common/take-app-turn.ts'
import type { ExchangeContext } from './exchange-parameters.ts'
import { countActors, findExchangeSubject } from './exchange-subject.ts'
import { resourceServerOf } from './resources.ts'

/** Each exchange makes the token longer: its actor and the id of its grant stay in it. */
const ACTORS_MAXIMUM = 10

/** Plans again after a wait, because rights may have changed. @throws InvalidRequest; InvalidScope; InvalidTarget */
export async function planInTurn(context: OpenIdContext, ctx: ExchangeContext) {
  const planned = await planExchange(context, ctx)
  return (await takeAppTurn(context, planned.subject.user.id)) ? planExchange(context, ctx) : planned
}

async function planExchange(context: OpenIdContext, ctx: ExchangeContext) {
  const { library } = context
  const { client, params, provider } = ctx.oidc
  const subject = await findExchangeSubject(context, {
    token: params.subject_token ?? '',
    organizationSlug: params.organization,
  })
  if (!subject) throw new library.errors.InvalidRequest('the subject_token is not valid, or stands for no user')
  if (countActors(subject.act) >= ACTORS_MAXIMUM)
    throw new library.errors.InvalidRequest(
      `the subject_token has ${ACTORS_MAXIMUM} actors, and can't be exchanged again`,
    )
  const { organizationId } = ownMetadataOf(client)
  if (organizationId !== null && subject.membership?.organization.id !== organizationId)
    throw new library.errors.InvalidRequest('a client of an organization exchanges tokens of this organization only')

  const scopes = narrowScopes(context, subject.scopes, params.scope, client.scope)
  const resource = params.resource ?? context.config.baseUrl
  const resourceServer = new provider.ResourceServer(resource, resourceServerOf(context, resource))
  const expiresIn = Math.min(ACCESS_TOKEN_SECONDS, Math.floor((subject.expiresAt - context.now()) / 1000))
  if (expiresIn <= 0) throw new library.errors.InvalidRequest('the subject_token has expired')
  const expiresAt = context.now() + expiresIn * 1000
  return { subject, scopes, resource, resourceServer, expiresIn, expiresAt }
}

/** The new token has no scope that the subject or the client lacks. */
function narrowScopes(
  { library }: OpenIdContext,
  ofSubject: string[],
  requestedText: string | undefined,
  clientText: string | undefined,
): string[] {
  const { InvalidScope } = library.errors
  const requested = requestedText === undefined ? ofSubject : splitScopes(requestedText)
  const ofClient = clientText === undefined ? undefined : splitScopes(clientText)
  const refused = requested.filter((scope) => !ofSubject.includes(scope))
  if (refused.length > 0) throw new InvalidScope('the subject_token does not have this scope', refused.join(' '))
  const given = requested.filter((scope) => scope !== 'offline_access' && (ofClient?.includes(scope) ?? true))
  if (given.length === 0)
    throw new InvalidScope('ask for a scope that the subject_token and this client have, beside offline_access', '')
  return given
}
