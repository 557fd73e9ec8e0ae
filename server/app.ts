import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import cookie from '@fastify/cookie'
import { createSystemChecks } from './commands/system-checks.ts'
import { enforceAccess } from './core/access/access.ts'
import { authenticateApiKeys } from './core/access/api-key.ts'
import { authenticateCallers } from './core/access/caller.ts'
import { answerCors } from './core/access/cors.ts'
import { requireDeclarations } from './core/access/declared-routes.ts'
import { forbidCaching } from './core/access/forbid-caching.ts'
import { checkOrigins } from './core/access/origin.ts'
import { createOrigins } from './core/access/origins.ts'
import { recordRefusal } from './core/audit/record-refusal.ts'
import type { OpenContext } from './core/context.ts'
import { limitChanges } from './core/limits/limit-changes.ts'
import { limitLists } from './core/limits/limit-lists.ts'
import { createRateLimits, limitCosts } from './core/limits/rate-limits.ts'
import { createMembershipFinder } from './core/memberships/membership-cache.ts'
import { createCallerFinder } from './core/sessions/caller-cache.ts'
import { namesInvitation } from './features/account/passkeys/names-invitation.ts'
import { registerAccount } from './features/account/routes.ts'
import { registerBrandRoutes } from './features/brand/routes.ts'
import { registerMailboxRoutes } from './features/dev-mailbox/routes.ts'
import { registerClientRegistrationRoute } from './features/oauth-clients/registration-route.ts'
import { resolveClientOwner } from './features/oauth-clients/resolve-client-owner.ts'
import { registerOAuthClientRoutes } from './features/oauth-clients/routes.ts'
import { registerOpenApiRoute } from './features/openapi/openapi.ts'
import { countLogOuts } from './features/openid/log-outs/store.ts'
import { registerOpenIdRoutes } from './features/openid/routes.ts'
import { authenticateApiKey } from './features/organizations/api-keys/authenticate-api-key.ts'
import { getMembershipOfRequest } from './features/organizations/organizations/named-membership.ts'
import { registerOrganizations } from './features/organizations/routes.ts'
import { readPageDocument } from './features/pages/page.ts'
import { createPlainPage } from './features/pages/plain-page.ts'
import { registerPageRoutes } from './features/pages/routes.ts'
import { registerStaff } from './features/staff/routes.ts'
import { listSigningKeys } from './features/tokens/list-signing-keys.ts'
import { registerTokenRoutes } from './features/tokens/routes.ts'
import { createSigningKeys } from './features/tokens/signing-keys.ts'
import { isLocal } from './platform/config/loopback.ts'
import type { RowChanges } from './platform/database/row-changes.ts'
import { acceptBodies } from './platform/http/bodies.ts'
import { createCookies } from './platform/http/cookies.ts'
import { createApp } from './platform/http/create-app.ts'
import { limitDatabaseTime } from './platform/http/database-time.ts'
import { finishHandlers } from './platform/http/finish-handlers.ts'
import { registerHealthRoutes } from './platform/http/health.ts'
import { checkHosts } from './platform/http/host.ts'
import type { HttpApp } from './platform/http/http-app.ts'
import type { Timeouts } from './platform/http/http-server.ts'
import { ignoreUnknownParameters } from './platform/http/queries.ts'
import { renderErrors } from './platform/http/render-error.ts'
import { logRequests } from './platform/http/request-log.ts'
import { setSecurityHeaders } from './platform/http/security-headers.ts'
import { refuseUnstorableText } from './platform/http/storable-text.ts'

const PAGES_FOLDER = fileURLToPath(new URL('../web/dist', import.meta.url))

export async function buildApp(
  {
    context,
    rowChanges,
    testWrite,
  }: Omit<OpenContext, 'close' | 'rowChanges'> & { rowChanges: RowChanges | undefined },
  timeouts?: Timeouts,
): Promise<HttpApp> {
  const { config } = context
  const page = readPageDocument(PAGES_FOLDER, config.brand)
  const cookies = createCookies(config.baseUrl)
  const origins = createOrigins(config)
  const rateLimits = createRateLimits(context)
  const signingKeys = createSigningKeys(context, rowChanges)
  const findMembership = createMembershipFinder(context, rowChanges)
  const withMailbox = config.smtpUrl === undefined && isLocal(config.baseUrl)
  const app = createApp(config, context.log, page, timeouts)

  // Fastify runs the hooks of each stage in this order, for the routes that are registered after them.
  renderErrors(app, page, (request, error) => recordRefusal(context, request, error))
  logRequests(app)
  finishHandlers(app)
  acceptBodies(app)
  ignoreUnknownParameters(app)
  refuseUnstorableText(app)
  setSecurityHeaders(app, config)
  forbidCaching(app)
  checkHosts(app, config)
  answerCors(app, origins)
  await app.register(cookie)
  requireDeclarations(app)
  checkOrigins(app, origins, cookies)
  limitDatabaseTime(app)
  authenticateCallers(app, cookies, createCallerFinder(context, rowChanges))
  authenticateApiKeys(app, cookies, (text, request) =>
    rateLimits.countGuess(request, () => authenticateApiKey(context, text)),
  )
  enforceAccess(app, context, {
    namesInvitation: (request) => namesInvitation(cookies, request),
    getMembership: (caller, request, access) => getMembershipOfRequest(context, caller, request, access),
    resolveClientOwner: (caller, request) => resolveClientOwner(context, caller, request),
  })
  limitCosts(app, rateLimits)
  limitLists(app, rateLimits)
  limitChanges(app)

  registerAccount(app, context, cookies, origins, rateLimits)
  registerOrganizations(app, context, cookies, rateLimits)
  registerStaff(app, context, cookies, rateLimits, {
    version: readVersion(),
    startedAt: context.now(),
    runChecks: createSystemChecks(context, testWrite),
    listSigningKeys: () => listSigningKeys(context),
    countLogOuts: (givenUpSince) => countLogOuts(context.slowReads, givenUpSince),
  })
  registerOAuthClientRoutes(app, context)
  registerClientRegistrationRoute(app, context, rateLimits)
  registerTokenRoutes(app, context, signingKeys, findMembership)
  registerOpenIdRoutes(app, context, cookies, rateLimits, signingKeys, createPlainPage(PAGES_FOLDER, config.brand))
  if (withMailbox) registerMailboxRoutes(app, context)
  registerHealthRoutes(app, context.database, testWrite, signingKeys.assertDecryptable)
  registerOpenApiRoute(app, config)
  registerBrandRoutes(app, context)
  registerPageRoutes(app, config, PAGES_FOLDER, page, withMailbox)
  return app
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
