import type { KoaContextWithOIDC, default as Provider } from 'oidc-provider'
import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { createGuardedFetch } from '../../../platform/http/guarded-fetch.ts'
import type { SigningKeys } from '../../tokens/signing-keys.ts'
import type { Library, OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import { DEVICE_INTERVAL_SECONDS } from '../common/scopes.ts'
import { adaptClients, createConfiguration } from './configuration.ts'
import { describeErrors } from './describe-errors.ts'
import { readLogOut } from './end-session.ts'
import { acceptFormerAlgorithms } from './id-token-hints.ts'
import { adaptIdTokens } from './id-tokens.ts'
import { allowFormTargets, type PlainPages } from './plain-pages.ts'
import { recordRefusedClients } from './record-refused-clients.ts'
import { registerTokenExchange } from './token-exchange.ts'
import { withholdRedirects } from './withhold-redirects.ts'

export interface OpenProvider {
  provider: Provider
  /** Composed once for all requests. */
  dispatch: ReturnType<Provider['callback']>
}

export interface Providers {
  /** The provider with the keys that are published now. */
  getProvider(): Promise<OpenProvider>
}

/** Concurrent imports must restore this, and not the function of the other import. */
const { warn } = console

/** The library warns about a release of Node without long-term support. Each line of the log is JSON. */
async function importLibrary({ log }: Context): Promise<Library> {
  console.warn = (warning: string) => log.debug(warning)
  try {
    return await import('oidc-provider')
  } finally {
    console.warn = warn
  }
}

export function createProviders(
  context: Context,
  keys: SigningKeys,
  pages: PlainPages,
  rateLimits: RateLimits,
): Providers {
  let current: { version: string; opened: Promise<OpenProvider> } | undefined

  const open = async (): Promise<OpenProvider> => {
    const library = await importLibrary(context)
    return build({ ...context, library, keys, rateLimits }, pages)
  }

  return {
    async getProvider() {
      const version = await keys.getVersion()
      if (current?.version === version) return current.opened
      const opened = open()
      current = { version, opened }
      // The next request tries again.
      opened.catch(() => {
        if (current?.opened === opened) current = undefined
      })
      return opened
    },
  }
}

async function build(context: OpenIdContext, pages: PlainPages): Promise<OpenProvider> {
  const { config, library } = context
  // The library's own guard against private addresses would refuse loopback, which a development client is on.
  const fetch = createGuardedFetch(config)
  const provider = new library.Provider(config.baseUrl, await createConfiguration(context, pages, fetch))
  provider.proxy = true
  adaptClients(provider.Client)
  deriveSuccessors(provider)
  acceptFormerAlgorithms(provider)
  adaptIdTokens(provider)
  registerTokenExchange(provider, context)
  provider.use((ctx, next) => allowFormTargets(ctx as KoaContextWithOIDC, next))
  provider.use((ctx, next) => readLogOut(ctx as KoaContextWithOIDC, next))
  provider.use((ctx, next) => answerRevocation(ctx as KoaContextWithOIDC, next))
  withholdRedirects(provider, pages)
  describeErrors(provider)
  recordRefusedClients(provider, context)
  // RFC 8628 makes `interval` optional, but the OAuth library of GitHub's command line requires it.
  provider.on('device_authorization.success', (_ctx, body) => {
    Object.assign(body, { interval: DEVICE_INTERVAL_SECONDS })
  })
  provider.on('grant.success', (ctx) => {
    // RFC 6749, section 5.1 requires this header beside the `cache-control` of the library.
    ctx.set('pragma', 'no-cache')
    context.totals.increment('accounts_oauth_grants_total', String(ctx.oidc.params?.grant_type).split(':').at(-1) ?? '')
  })
  provider.on('grant.error', ({ body }) => {
    context.totals.increment('accounts_oauth_refusals_total', (body as { error: string }).error)
  })
  provider.on('server_error', (_ctx, error) => {
    getRequestState().failure = error
  })
  // Errors outside the library's own handlers. Without a listener, Koa prints them and answers in its own form.
  const application: NodeJS.EventEmitter = provider
  application.on('error', (error: unknown) => {
    getRequestState().failure = error
  })
  return { provider, dispatch: provider.callback() }
}

/** The types of the library lack it. */
type WithTokenId = { generateTokenId(): string }

/** Concurrent refreshes get the same refresh token, which the adapter derives from the used one. */
function deriveSuccessors(provider: Provider): void {
  const tokens = provider.RefreshToken.prototype as unknown as WithTokenId
  const generateTokenId = tokens.generateTokenId
  tokens.generateTokenId = function () {
    return getRequestState().rotation?.successor ?? generateTokenId.call(this)
  }
}

/** The library sends an empty text, at which oidc-client-ts and simple-oauth2 fail. RFC 7009 allows any body. */
async function answerRevocation(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  if (ctx.oidc?.route === 'revocation' && ctx.status === 200) ctx.body = {}
}
