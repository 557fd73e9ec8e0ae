import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../core/context.ts'
import type { RateLimits } from '../../core/limits/rate-limits.ts'
import type { Cookies } from '../../platform/http/cookies.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import type { PlainPage } from '../pages/plain-page.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import { ENDPOINTS } from './common/endpoints.ts'
import { registerDeviceFlowRoutes } from './device-flow/routes.ts'
import { registerInteractionRoutes } from './interactions/routes.ts'
import { createPassToProvider, type PassToProvider } from './provider/pass-to-provider.ts'
import { createPlainPages } from './provider/plain-pages.ts'
import { createProviders } from './provider/provider.ts'
import {
  addOAuthError,
  BROWSER_RESPONSES,
  CLIENT_RESPONSES,
  PREFLIGHT_RESPONSES,
  PUSHED_RESPONSES,
  TOKEN_RESPONSES,
} from './responses.ts'

const WITH_SESSION = {
  access: 'anyone',
  impersonated: 'allowed',
  credentials: 'may disagree',
  otherOrigins: 'decided by client',
  acceptsForms: true,
} as const
/** Endpoints that read the credentials of the client, or a token, and never a session. */
const OF_CLIENT = {
  access: 'public',
  impersonated: 'allowed',
  otherOrigins: 'decided by client',
  acceptsForms: true,
} as const
/** Marks the endpoints whose bodies and errors a standard defines, and not this service. */
const PROTOCOL = { 'x-protocol': 'OAuth 2.0' }
/** Longer parameters would not fit into the address of a GET request. Stored anonymous requests must be small, too. */
const PARAMETERS_LENGTH_MAXIMUM = 8_192

export function registerOpenIdRoutes(
  app: HttpApp,
  context: Context,
  cookies: Cookies,
  rateLimits: RateLimits,
  keys: SigningKeys,
  plainPage: PlainPage,
): void {
  const providers = createProviders(context, keys, createPlainPages(plainPage), rateLimits)
  const pass = createPassToProvider(context, cookies, providers)
  registerBrowserEndpoints(app, pass)
  registerClientEndpoints(app, pass)
  registerInteractionRoutes(app, context, providers)
  registerDeviceFlowRoutes(app, context, rateLimits)
}

function registerBrowserEndpoints(app: HttpApp, pass: PassToProvider): void {
  const { authorization, end_session } = ENDPOINTS
  for (const { url, summary, rateLimit } of [
    { url: authorization, summary: 'Sign a user in to a client (OpenID Connect Core 1.0)', rateLimit: 'change' },
    { url: `${authorization}/:interaction`, summary: 'Go on after a page of the service', rateLimit: 'change' },
    { url: end_session, summary: 'Ask the user to sign out (RP-Initiated Logout 1.0)', rateLimit: 'change' },
    { url: `${end_session}/success`, summary: 'The page after a log-out', rateLimit: 'none' },
  ] as const)
    app.get(
      url,
      {
        exposeHeadRoute: false,
        config: { ...WITH_SESSION, rateLimit },
        schema: { ...PROTOCOL, summary, response: BROWSER_RESPONSES },
      },
      pass,
    )

  for (const url of [authorization, end_session])
    app.post(
      url,
      {
        config: { ...OF_CLIENT, rateLimit: 'none' },
        schema: {
          ...PROTOCOL,
          summary: 'Send these parameters as a form; redirects to the GET endpoint',
          response: BROWSER_RESPONSES,
        },
      },
      redirectToGet,
    )
  app.post(
    `${end_session}/confirm`,
    {
      config: {
        access: 'anyone',
        rateLimit: 'change',
        impersonated: 'allowed',
        credentials: 'may disagree',
        acceptsForms: true,
      },
      schema: { ...PROTOCOL, summary: 'The form of the log-out page', response: BROWSER_RESPONSES },
    },
    pass,
  )
}

/** Browsers send no session cookie with a form of another site. They send it with the navigation that follows. */
async function redirectToGet(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.redirect(`${request.routeOptions.url}?${parametersIn(request)}`, 303)
}

function parametersIn({ body }: FastifyRequest): string {
  const parameters = new URLSearchParams(typeof body === 'string' ? body : '').toString()
  if (parameters.length > PARAMETERS_LENGTH_MAXIMUM)
    throw new ApiError('VALIDATION_ERROR', { message: 'The request is longer than 8 KiB.' })
  return parameters
}

function registerClientEndpoints(app: HttpApp, passToLibrary: PassToProvider): void {
  // RFC 6749, section 5.2: errors are JSON. The library would send a page to a client that prefers HTML.
  const pass: PassToProvider = async (request, reply) => {
    delete request.headers.accept
    return passToLibrary(request, reply)
  }
  const { token, userinfo, introspection, revocation, pushed_authorization_request, device_authorization } = ENDPOINTS
  const documents = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']
  for (const url of documents)
    app.get(
      url,
      {
        config: { ...OF_CLIENT, rateLimit: 'none', otherOrigins: 'public' },
        schema: { ...PROTOCOL, summary: 'Endpoints and abilities (RFC 8414)', response: CLIENT_RESPONSES },
      },
      pass,
    )
  app.get(
    userinfo,
    {
      config: { ...OF_CLIENT, rateLimit: 'none' },
      schema: { ...PROTOCOL, summary: 'Claims of the user', response: CLIENT_RESPONSES },
      preSerialization: addOAuthError,
    },
    pass,
  )
  const passShort: PassToProvider = async (request, reply) => {
    parametersIn(request)
    return pass(request, reply)
  }
  const otherResponses: Record<string, typeof CLIENT_RESPONSES> = {
    [token]: TOKEN_RESPONSES,
    [pushed_authorization_request]: PUSHED_RESPONSES,
  }
  for (const { url, summary, rateLimit, handler } of [
    { url: userinfo, summary: 'Claims of the user', rateLimit: 'none', handler: pass },
    { url: token, summary: 'Get tokens (RFC 6749, section 3.2)', rateLimit: 'none', handler: pass },
    {
      url: introspection,
      summary: 'Whether a token is valid, for a client with a secret or a key (RFC 7662)',
      rateLimit: 'none',
      handler: pass,
    },
    { url: revocation, summary: 'Revoke a token (RFC 7009)', rateLimit: 'none', handler: pass },
    {
      url: pushed_authorization_request,
      summary: 'Push an authorization request (RFC 9126)',
      rateLimit: 'change',
      handler: passShort,
    },
    {
      url: device_authorization,
      summary: 'Begin a sign-in on a device (RFC 8628)',
      rateLimit: 'change',
      handler: passShort,
    },
  ] as const)
    app.post(
      url,
      {
        config: { ...OF_CLIENT, rateLimit },
        schema: { ...PROTOCOL, summary, response: otherResponses[url] ?? CLIENT_RESPONSES },
        preSerialization: addOAuthError,
      },
      handler,
    )

  for (const url of [
    ...documents,
    token,
    userinfo,
    introspection,
    revocation,
    pushed_authorization_request,
    device_authorization,
  ])
    app.options(
      url,
      { config: { ...OF_CLIENT, rateLimit: 'none' }, schema: { hide: true, response: PREFLIGHT_RESPONSES } },
      pass,
    )
}
