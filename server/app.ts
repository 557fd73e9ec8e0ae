import { fileURLToPath } from 'node:url'
import cookie from '@fastify/cookie'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { LogController } from 'fastify'
import { recogniseApiKey } from './api-keys/recognise-api-key.ts'
import { registerApiKeyRoutes } from './api-keys/routes.ts'
import { registerVerifyApiKeyRoute } from './api-keys/verify-route.ts'
import { recordRefusal } from './audit/record-refusal.ts'
import { registerAuditRoutes } from './audit/routes.ts'
import { isLocal } from './config.ts'
import type { OpenContext } from './context.ts'
import { registerEmailRoutes } from './email/routes.ts'
import { readPageDocument } from './entry/page.ts'
import { registerEntryRoutes } from './entry/routes.ts'
import { enforceAccess } from './http/access.ts'
import { recogniseApiKeys } from './http/api-key.ts'
import { acceptJson, BODY_BYTES_MAXIMUM } from './http/bodies.ts'
import { recogniseCallers } from './http/caller.ts'
import { createCookies } from './http/cookies.ts'
import { answerCors } from './http/cors.ts'
import { limitDatabaseTime } from './http/database-time.ts'
import { registerHealthRoutes } from './http/health.ts'
import { checkHosts } from './http/host.ts'
import { createHttpServer } from './http/http-server.ts'
import { isName } from './http/names.ts'
import { describeApi, registerOpenApiRoute } from './http/openapi.ts'
import { checkOrigins } from './http/origin.ts'
import { createOrigins } from './http/origins.ts'
import { ignoreUnknownParameters } from './http/queries.ts'
import { createRateLimits, limitCosts } from './http/rate-limits.ts'
import { createSocketRefusals } from './http/refuse-socket.ts'
import { refuseUnroutable, renderErrors } from './http/render-error.ts'
import { createRequestIds } from './http/request-ids.ts'
import { logRequests } from './http/request-log.ts'
import { securityHeaders, setSecurityHeaders } from './http/security-headers.ts'
import { refuseUnstorableText } from './http/storable-text.ts'
import type { App } from './http/typed-app.ts'
import { registerInvitationLinkRoutes } from './invitations/link-routes.ts'
import { registerInvitationReadRoutes } from './invitations/read-routes.ts'
import { registerInvitationRoutes } from './invitations/routes.ts'
import { registerMailboxRoutes } from './mailbox/routes.ts'
import { registerMemberRoutes } from './members/routes.ts'
import { authorizeOrganization } from './organizations/authorize.ts'
import { registerOrganizationReadRoutes } from './organizations/read-routes.ts'
import { registerOrganizationRoutes } from './organizations/routes.ts'
import { namesInvitation } from './passkeys/names-invitation.ts'
import { registerPasskeyRoutes } from './passkeys/routes.ts'
import { registerResetRoutes } from './passwords/reset-routes.ts'
import { registerPasswordRoutes } from './passwords/routes.ts'
import { registerSignInRoutes } from './passwords/sign-in-routes.ts'
import { registerProfileRoutes } from './profile/routes.ts'
import { createCallerFinder } from './sessions/caller-cache.ts'
import { isFresh } from './sessions/lifetimes.ts'
import { registerSessionRoutes } from './sessions/routes.ts'
import { registerSetupRoutes } from './setup/routes.ts'
import { authorizeStaff } from './staff/authorize.ts'
import { registerStaffEmailRoutes } from './staff/email-routes.ts'
import { registerListUsersRoute } from './staff/list-users/routes.ts'
import { registerPowerRoutes } from './staff/power-routes.ts'
import { registerStaffRoutes } from './staff/routes.ts'
import { registerStaffSessionRoutes } from './staff/session-routes.ts'
import { registerTokenRoutes } from './tokens/routes.ts'
import { createSigningKeys } from './tokens/signing-keys.ts'

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
  recogniseCallers(app, cookies, createCallerFinder(context, rowChanges))
  recogniseApiKeys(app, cookies, (text, request) =>
    rateLimits.countGuess(request, () => recogniseApiKey(context, text)),
  )
  enforceAccess(app, {
    isFresh: ({ session }) => isFresh(session, now()),
    isInvited: (request) => namesInvitation(cookies, request),
    organization: (caller, access, request) => authorizeOrganization(context, caller, access, request),
    staff: authorizeStaff,
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
  registerEntryRoutes(app, config, PAGES_FOLDER, page, withMailbox)
  return app
}
