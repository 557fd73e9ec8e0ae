import type { Config } from '../../platform/config/config.ts'
import type { RouteAccess } from './access-rules.ts'

export interface Origins {
  /** BASE_URL and TRUSTED_ORIGINS may call every route and read every response header. */
  isTrusted(origin: string): boolean
  mayCall(origin: string, route: Partial<RouteAccess>): boolean
}

/** Origins are compared as text: browsers send them in one form, and `null` is never listed. */
export function createOrigins({ baseUrl, trustedOrigins, returnToOrigins }: Config): Origins {
  const trusted = new Set([baseUrl, ...trustedOrigins])
  const services = new Set(returnToOrigins)
  const isTrusted = (origin: string) => trusted.has(origin)
  return {
    isTrusted,
    mayCall: (origin, { otherOrigins }) => isTrusted(origin) || (otherOrigins === 'allowed' && services.has(origin)),
  }
}
