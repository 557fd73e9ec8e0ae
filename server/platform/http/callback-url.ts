import type { Config } from '../config/config.ts'
import { ApiError } from './errors.ts'

/** One slash, then plain characters only: browsers read a second slash or a backslash as the start of a host. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

/** Exact origins only (GHSA-vp58-j275-797x, CVE-2026-41569, CVE-2022-3782). @throws ApiError INVALID_CALLBACK_URL */
export function parseCallbackUrl(config: Config, text: string, field: string): string {
  if (!OWN_PATH.test(text) && !isAllowedUrl(config, text)) throw new ApiError('INVALID_CALLBACK_URL', { field })
  const { origin, searchParams } = new URL(text, config.baseUrl)
  // The pages of the service refuse such a `next`.
  if (origin === config.baseUrl) for (const next of searchParams.getAll('next')) parseNext(config, next, field)
  return text
}

/** For a spread: without a text, the result is empty. @throws ApiError INVALID_CALLBACK_URL */
export function parseOptionalCallbackUrl(config: Config, text: string | undefined): { callbackUrl?: string } {
  return text === undefined ? {} : { callbackUrl: parseCallbackUrl(config, text, 'callbackURL') }
}

/** A stored URL is undefined here after its origin was removed from RETURN_TO_ORIGINS. */
export function findAllowedCallbackUrl(config: Config, text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : parseCallbackUrl(config, text, 'callbackURL')
  } catch {
    return undefined
  }
}

/** URL libraries add a slash to the origin. @throws ApiError INVALID_CALLBACK_URL */
export function parseNext(config: Config, text: string, field = 'next'): string {
  const origin = text.endsWith('/') ? text.slice(0, -1) : text
  if (config.returnToOrigins.includes(origin)) return text
  throw new ApiError('INVALID_CALLBACK_URL', {
    field,
    message: 'next must be exactly one of the origins in RETURN_TO_ORIGINS.',
  })
}

function isAllowedUrl(config: Config, text: string): boolean {
  if (!/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(text) || !URL.canParse(text)) return false
  const { origin } = new URL(text)
  const isAllowed = origin === config.baseUrl || config.returnToOrigins.includes(origin)
  // The text must begin with the origin, so that no other parser finds another host or a user name in it.
  return isAllowed && new RegExp(`^${RegExp.escape(origin)}(?:[/?#]|$)`).test(text)
}
