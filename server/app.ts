import { fileURLToPath } from 'node:url'
import cookie from '@fastify/cookie'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { LogController } from 'fastify'
import { enforceAccess } from './core/access/access.ts'
import { authenticateApiKeys } from './core/access/api-key.ts'
import { authenticateCallers } from './core/access/caller.ts'
import { answerCors } from './core/access/cors.ts'
import { checkOrigins } from './core/access/origin.ts'
import { createOrigins } from './core/access/origins.ts'
import { createRateLimits, limitCosts } from './core/access/rate-limits.ts'
import { recordRefusal } from './core/audit/record-refusal.ts'
import type { OpenContext } from './core/context.ts'
import { createCallerFinder } from './core/sessions/caller-cache.ts'
import { isFresh } from './core/sessions/lifetimes.ts'
import { registerEmailRoutes } from './features/account/email/routes.ts'
import { namesInvitation } from './features/account/passkeys/names-invitation.ts'
import { registerPasskeyRoutes } from './features/account/passkeys/routes.ts'
import { registerResetRoutes } from './features/account/passwords/reset-routes.ts'
import { registerPasswordRoutes } from './features/account/passwords/routes.ts'
import { registerSignInRoutes } from './features/account/passwords/sign-in-routes.ts'
import { registerProfileRoutes } from './features/account/profile/routes.ts'
import { registerSessionRoutes } from './features/account/sessions/routes.ts'
import { registerSetupRoutes } from './features/account/setup/routes.ts'
import { registerMailboxRoutes } from './features/dev-mailbox/routes.ts'
import { describeApi, registerOpenApiRoute } from './features/openapi/openapi.ts'
import { authenticateApiKey } from './features/organizations/api-keys/authenticate-api-key.ts'
import { registerApiKeyRoutes } from './features/organizations/api-keys/routes.ts'
import { registerVerifyApiKeyRoute } from './features/organizations/api-keys/verify-route.ts'
import { registerInvitationLinkRoutes } from './features/organizations/invitations/link-routes.ts'
import { registerInvitationReadRoutes } from './features/organizations/invitations/read-routes.ts'
import { registerInvitationRoutes } from './features/organizations/invitations/routes.ts'
import { registerMemberRoutes } from './features/organizations/members/routes.ts'
import { authorizeOrganization } from './features/organizations/organizations/authorize.ts'
import { registerOrganizationReadRoutes } from './features/organizations/organizations/read-routes.ts'
import { registerOrganizationRoutes } from './features/organizations/organizations/routes.ts'
import { readPageDocument } from './features/pages/page.ts'
import { registerPageRoutes } from './features/pages/routes.ts'
import { registerAuditRoutes } from './features/staff/audit/routes.ts'
import { registerStaffEmailRoutes } from './features/staff/emails/routes.ts'
import { registerListUsersRoute } from './features/staff/list-users/routes.ts'
import { registerStaffSessionRoutes } from './features/staff/sessions/routes.ts'
import { registerPowerRoutes } from './features/staff/users/power-routes.ts'
import { registerStaffRoutes } from './features/staff/users/routes.ts'
import { registerTokenRoutes } from './features/tokens/routes.ts'
import { createSigningKeys } from './features/tokens/signing-keys.ts'
import { isLocal } from './platform/config/config.ts'
import { acceptJson, BODY_BYTES_MAXIMUM } from './platform/http/bodies.ts'
import { createCookies } from './platform/http/cookies.ts'
import { limitDatabaseTime } from './platform/http/database-time.ts'
import { registerHealthRoutes } from './platform/http/health.ts'
import { checkHosts } from './platform/http/host.ts'
import { createHttpServer } from './platform/http/http-server.ts'
import { isName } from './platform/http/names.ts'
import { ignoreUnknownParameters } from './platform/http/queries.ts'
import { createSocketRefusals } from './platform/http/refuse-socket.ts'
import { refuseUnroutable, renderErrors } from './platform/http/render-error.ts'
import { createRequestIds } from './platform/http/request-ids.ts'
import { logRequests } from './platform/http/request-log.ts'
import { securityHeaders, setSecurityHeaders } from './platform/http/security-headers.ts'
import { refuseUnstorableText } from './platform/http/storable-text.ts'
import type { App } from './platform/http/typed-app.ts'

/** Far over the 16 KiB of an address, so that schemas refuse a parameter that is too long, not the router. */
const PARAMETER_LENGTH_MAXIMUM = 65_536

const PAGES_FOLDER = fileURLToPath(new URL('../web/dist', import.meta.url))

/**
 * The service, put together: the server and the tests start from here. The database has been through `prepare` by then.
 */
export async function buildApp({ context, rowChanges, testWrite }: Omit<OpenContext, 'close'>): Promise<App> {
  const { config, log, randomBytes, now } = context
  const page = readPageDocument(PAGES_FOLDER)
  const headers = securityHeaders(config)
  const nextRequestId = createRequestIds(randomBytes)
  const refuseSocket = createSocketRefusals(headers, nextRequestId, log)
  const app: App = Fastify({
    serverFactory: (listener) => createHttpServer(listener, refuseSocket),
    // The server refuses by itself what is no request.
    clientErrorHandler: () => {},
    frameworkErrors: refuseUnroutable(headers, page),
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAXIMUM },
    loggerInstance: log,
    // Lines name their request themselves: most requests have none, and a logger for each costs more than they do.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextRequestId,
    requestIdHeader: false,
    trustProxy: (_address, hop) => hop < config.trustedProxyCount,
    bodyLimit: BODY_BYTES_MAXIMUM,
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allowUnionTypes: true,
        formats: { name: isName },
      },
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  renderErrors(app, page, (request, error) => recordRefusal(context, request, error))
  logRequests(app)
  acceptJson(app)
  ignoreUnknownParameters(app)
  refuseUnstorableText(app)
  setSecurityHeaders(app, headers)
  checkHosts(app, config)
  const origins = createOrigins(config)
  answerCors(app, origins)
  await app.register(cookie)
  await describeApi(app, config)

  // Every request passes these in this order; every route below is declared before it can be reached.
  const cookies = createCookies(config.baseUrl)
  checkOrigins(app, origins, cookies)
  limitDatabaseTime(app)
  const rateLimits = createRateLimits(context)
  authenticateCallers(app, cookies, createCallerFinder(context, rowChanges))
  authenticateApiKeys(app, cookies, (text, request) =>
    rateLimits.countGuess(request, () => authenticateApiKey(context, text)),
  )
  enforceAccess(app, {
    isFresh: ({ session }) => isFresh(session, now()),
    isInvited: (request) => namesInvitation(cookies, request),
    organization: (caller, access, request) => authorizeOrganization(context, caller, access, request),
  })
  limitCosts(app, rateLimits)

  const signingKeys = createSigningKeys(context)
  const withMailbox = config.smtpUrl === undefined && isLocal(config.baseUrl)

  registerSessionRoutes(app, context, cookies, origins)
  registerSignInRoutes(app, context, cookies, rateLimits)
  registerPasswordRoutes(app, context, cookies, rateLimits)
  registerResetRoutes(app, context, cookies, rateLimits)
  registerEmailRoutes(app, context, rateLimits)
  registerProfileRoutes(app, context, cookies, rateLimits)
  registerPasskeyRoutes(app, context, cookies, rateLimits)
  registerOrganizationRoutes(app, context)
  registerOrganizationReadRoutes(app, context)
  registerMemberRoutes(app, context)
  registerInvitationRoutes(app, context, cookies)
  registerInvitationReadRoutes(app, context)
  registerInvitationLinkRoutes(app, context, cookies, rateLimits)
  registerApiKeyRoutes(app, context)
  registerVerifyApiKeyRoute(app, context, rateLimits)
  registerTokenRoutes(app, context, signingKeys)
  registerSetupRoutes(app, context, cookies, rateLimits)
  registerStaffRoutes(app, context)
  registerPowerRoutes(app, context)
  registerListUsersRoute(app, context)
  registerStaffSessionRoutes(app, context, cookies)
  registerStaffEmailRoutes(app, context)
  registerAuditRoutes(app, context)
  if (withMailbox) registerMailboxRoutes(app, context)
  registerHealthRoutes(app, context.database, {
    testWrite,
    assertKeysDecryptable: signingKeys.assertDecryptable,
  })
  registerOpenApiRoute(app)
  registerPageRoutes(app, config, PAGES_FOLDER, page, withMailbox)
  return app
}
