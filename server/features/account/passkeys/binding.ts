import type { FastifyRequest } from 'fastify'
import type { Config } from '../../../platform/config/config.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { type Place, placeOfBinding } from './challenge.ts'

/**
 * The place that a request names in its body instead of by a cookie. A browser must not name one for another site: an
 * attacker could have a victim's browser finish the attacker's ceremony, and so sign in to the attacker's account.
 * @throws ApiError INVALID_ORIGIN
 */
export function readBinding(config: Config, request: FastifyRequest, binding: string | undefined): Place[] {
  if (binding === undefined) return []
  if (isCrossSite(config, request)) throw new ApiError('INVALID_ORIGIN')
  return [placeOfBinding(binding)]
}

/** Browsers name the origin of every POST; programs that are no browser name none. */
function isCrossSite({ baseUrl }: Config, { headers }: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  return (origin !== undefined && origin !== baseUrl) || (site !== undefined && site !== 'same-origin')
}
