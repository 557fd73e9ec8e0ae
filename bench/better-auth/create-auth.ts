import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { admin, bearer, jwt, organization } from 'better-auth/plugins'
import type { Database } from './open-database.ts'

interface AuthSettings {
  database: Database
  secret: string
  baseURL: string
  /** The jwt plugin signs a token on every get-session by default. Accounts signs tokens on request only. */
  signsOnGetSession: boolean
}

/** Better Auth with the features of Accounts, without log, rate limit, telemetry and cookie cache. */
export function authOptions({ database, secret, baseURL, signsOnGetSession }: AuthSettings): BetterAuthOptions {
  return {
    database,
    secret,
    baseURL,
    emailAndPassword: { enabled: true },
    plugins: [
      organization(),
      admin(),
      bearer(),
      jwt({
        disableSettingJwtHeader: !signsOnGetSession,
        jwks: { keyPairConfig: { alg: 'RS256', modulusLength: 2048 } },
      }),
    ],
    rateLimit: { enabled: false },
    logger: { disabled: true },
    telemetry: { enabled: false },
  }
}

export function createAuth(settings: AuthSettings): { handler: (request: Request) => Promise<Response> } {
  return betterAuth(authOptions(settings))
}
