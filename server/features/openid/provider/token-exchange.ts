import type { default as Provider, UnknownObject } from 'oidc-provider'
import { inTransaction } from '../../../core/in-transaction.ts'
import { TOKEN_EXCHANGE_GRANT } from '../../../core/oauth-clients/metadata.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { claimsOfSession, claimsOfUser, pickTokenClaims } from '../common/claims.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import { joinGrantIds } from '../grants/access-token-id.ts'
import { insertNewGrant } from '../grants/insert-new-grant.ts'
import {
  ACCESS_TOKEN_TYPE,
  assertExchangeParameters,
  EXCHANGE_PARAMETERS,
  type ExchangeContext,
  type ExchangeParameters,
  TARGETS,
} from './exchange-parameters.ts'
import type { ExchangeSubject } from './exchange-subject.ts'
import { planInTurn } from './plan-exchange.ts'

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
  const { client, provider } = ctx.oidc
  assertExchangeParameters(context, ctx)
  const { subject, scopes, resource, resourceServer, expiresIn, expiresAt } = await planInTurn(context, ctx)
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

interface Exchange {
  clientId: string
  scopes: string[]
  resource: string
  /** Epoch milliseconds. The grant ends with its only token: grants of frequent exchanges must not pile up. */
  expiresAt: number
}

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
