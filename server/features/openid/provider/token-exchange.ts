import type { default as Provider, UnknownObject } from 'oidc-provider'
import { inTransaction } from '../../../core/in-transaction.ts'
import { TOKEN_EXCHANGE_GRANT } from '../../../core/oauth-clients/metadata.ts'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { joinGrantIds } from '../grants/access-token-id.ts'
import { claimsOfSession, claimsOfUser, pickTokenClaims } from '../grants/claims.ts'
import { ownMetadataOf } from '../grants/client-metadata.ts'
import { insertNewGrant } from '../grants/insert-new-grant.ts'
import type { OpenIdContext } from '../grants/openid-context.ts'
import { getRequestState } from '../grants/request-state.ts'
import { ACCESS_TOKEN_SECONDS } from '../grants/scopes.ts'
import { takeAppTurn } from '../grants/take-app-turn.ts'
import {
  ACCESS_TOKEN_TYPE,
  assertExchangeParameters,
  EXCHANGE_PARAMETERS,
  type ExchangeContext,
  type ExchangeParameters,
  TARGETS,
} from './exchange-parameters.ts'
import { countActors, type ExchangeSubject, findExchangeSubject } from './exchange-subject.ts'
import { resourceServerOf } from './resources.ts'

/** Each exchange makes the token longer: its actor and the id of its grant stay in it. */
const ACTORS_MAXIMUM = 10

/** A service gets a token to call another one for the same user (RFC 8693). */
export function registerTokenExchange(provider: Provider, context: OpenIdContext): void {
  provider.registerGrantType<ExchangeParameters>(
    TOKEN_EXCHANGE_GRANT,
    (ctx) => exchange(context, ctx),
    EXCHANGE_PARAMETERS,
    TARGETS,
  )
}

/** @throws ApiError TOO_MANY_REQUESTS: each exchange writes an audit event */
async function exchange(context: OpenIdContext, ctx: ExchangeContext): Promise<void> {
  const { library } = context
  const { client, params, provider } = ctx.oidc
  assertExchangeParameters(context, ctx)
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
  // The grant is created only if the session still lives after the wait.
  await takeAppTurn(context, subject.user.id)
  await context.rateLimits.chargeChange(subject.user.id)
  const grant = await createGrantOfExchange(
    context,
    { clientId: client.clientId, scopes, resource, expiresAt },
    subject,
  )
  const token = new provider.AccessToken({
    accountId: subject.user.id,
    client,
    gty: 'token_exchange',
    expiresIn,
    scope: scopes.join(' '),
    ...grant,
    resourceServer,
    extra: claimsOfExchange(subject, scopes, client.clientId, grant.sid),
  } as ConstructorParameters<typeof provider.AccessToken>[0])
  ctx.body = {
    access_token: await token.save(),
    issued_token_type: ACCESS_TOKEN_TYPE,
    token_type: token.tokenType,
    expires_in: expiresIn,
    scope: scopes.join(' '),
  }
}

/**
 * The new token has no scope that the subject or the client lacks.
 * @throws InvalidScope when the subject lacks a requested scope, or the new token would have no scope
 */
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

interface Exchange {
  clientId: string
  scopes: string[]
  resource: string
  /**
   * Epoch milliseconds. The grant ends with its only token: a service may exchange tokens often, and grants must not
   * pile up.
   */
  expiresAt: number
}

/** The new token ends with the session of the subject, and with the grants of the subject. */
async function createGrantOfExchange(
  context: OpenIdContext,
  { clientId, scopes, resource, expiresAt }: Exchange,
  { user, session, membership, grantIds, tokenHash }: ExchangeSubject,
): Promise<{ grantId: string; sid: string }> {
  const actor = { ...getRequestState().actor, actorId: user.id, impersonatedBy: session.impersonatedBy }
  const { id, sid } = await inTransaction(context, actor, (unit) =>
    insertNewGrant(unit, 'oauth-token.exchanged', {
      clientId,
      userId: user.id,
      session: { ...session, tokenHash },
      organizationId: membership?.organization.id ?? null,
      // The new token ends with the subject, which depends on the membership.
      needsMembership: true,
      scopes: scopes.join(' '),
      resources: JSON.stringify([resource]),
      expiresAt,
    }),
  ).catch((error) => {
    if (!(error instanceof ApiError)) throw error
    throw new context.library.errors.InvalidRequest(
      'the session of the subject or its membership has ended, or the client was disabled',
    )
  })
  return { grantId: joinGrantIds(id, grantIds), sid }
}

function claimsOfExchange(subject: ExchangeSubject, scopes: string[], clientId: string, sid: string): UnknownObject {
  const { session, membership, act } = subject
  const { amr, auth_time } = claimsOfSession(session)
  return {
    ...pickTokenClaims(claimsOfUser(subject, membership), scopes),
    amr,
    auth_time,
    sid,
    // RFC 8693, section 4.1: the current actor is the outer one, and earlier actors are nested in it.
    act: { sub: clientId, ...(act !== undefined && { act }) },
  }
}
