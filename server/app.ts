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
import { describeApi, registerOpenApiRoute } from './http/openapi.ts'
import { checkOrigins } from './http/origin.ts'
import { createOrigins } from './http/origins.ts'
import { ignoreUnknownParameters } from './http/queries.ts'
import { createRateLimits, limitCosts } from './http/rate-limits.ts'
import { renderErrors } from './http/render-error.ts'
import { createRequestIds } from './http/request-ids.ts'
import { logRequests } from './http/request-log.ts'
import { setSecurityHeaders } from './http/security-headers.ts'
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
import { registerPasswordRoutes } from './passwords/routes.ts'
import { registerSignInRoutes } from './passwords/sign-in-routes.ts'
import { registerProfileRoutes } from './profile/routes.ts'
import { createCallerFinder } from './sessions/caller-cache.ts'
import { isFresh } from './sessions/lifetimes.ts'
import { registerSessionRoutes } from './sessions/routes.ts'
import { registerSetupRoutes } from './setup/routes.ts'
import { authorizeStaff } from './staff/authorize.ts'
import { registerListUsersRoute } from './staff/list-users/routes.ts'
import { registerPowerRoutes } from './staff/power-routes.ts'
import { registerStaffRoutes } from './staff/routes.ts'
import { registerStaffSessionRoutes } from './staff/session-routes.ts'
import { registerTokenRoutes } from './tokens/routes.ts'
import { createSigningKeys } from './tokens/signing-keys.ts'

/** Until a request is there, however slowly it is sent. Node gives a new connection as long before its first one. */
const REQUEST_MILLISECONDS = 60_000

const PAGES_FOLDER = fileURLToPath(new URL('../web/dist', import.meta.url))

/**
 * The service, put together: the server and the tests start from here. The database has been through `prepare` by then.
 */
export async function buildApp({ context, rowChanges, testWrite }: Omit<OpenContext, 'close'>): Promise<App> {
  const { config, log, randomBytes, now } = context
  const app: App = Fastify({
    http: {
      // A request without a body has none to be read to its end.
      optimizeEmptyRequests: true,
      connectionsCheckingInterval: 5_000,
    },
    requestTimeout: REQUEST_MILLISECONDS,
    loggerInstance: log,
    // Lines name their request themselves: most requests have none, and a logger for each costs more than they do.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestIds(randomBytes),
    requestIdHeader: false,
    trustProxy: (_address, hop) => hop < config.trustedProxyCount,
    bodyLimit: BODY_BYTES_MAXIMUM,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allowUnionTypes: true } },
  }).withTypeProvider<TypeBoxTypeProvider>()

  const page = readPageDocument(PAGES_FOLDER)
  renderErrors(app, page, (request, error) => recordRefusal(context, request, error))
  logRequests(app)
  acceptJson(app)
  ignoreUnknownParameters(app)
  setSecurityHeaders(app, config)
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
  recogniseApiKeys(app, (text, request) => rateLimits.countGuess(request, () => recogniseApiKey(context, text)))
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
  registerAuditRoutes(app, context)
  if (withMailbox) registerMailboxRoutes(app, context)
  registerHealthRoutes(app, context.database, {
    testWrite,
    assertKeysDecryptable: signingKeys.assertDecryptable,
  })
  registerOpenApiRoute(app)
  await registerEntryRoutes(app, config, PAGES_FOLDER, page, withMailbox)
  return app
}
