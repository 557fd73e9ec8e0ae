import type { Config } from '../config/config.ts'
import { ApiError } from './errors.ts'

/** A path of ours: one slash, then nothing that a browser would read as the start of a host, and only plain characters. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

/**
 * Where a browser may be sent on: a path of our own, or an address whose exact origin is ours or allowed
 * (GHSA-vp58-j275-797x, CVE-2026-41569, CVE-2022-3782).
 * @param field of the request, for the error
 * @returns the text as it came; nothing is repaired
 * @throws ApiError INVALID_CALLBACK_URL
 */
export function parseCallbackUrl(config: Config, text: string, field: string): string {
  if (!isOwnPath(config, text) && !isAllowedUrl(config, text)) throw new ApiError('INVALID_CALLBACK_URL', { field })
  const { origin, searchParams } = new URL(text, config.baseUrl)
  // Our pages refuse to open with such a `next`, so nothing may lead to them with it.
  if (origin === config.baseUrl) for (const next of searchParams.getAll('next')) parseNext(config, next, field)
  return text
}

/** The same where the request may name none; spread the result. @throws ApiError INVALID_CALLBACK_URL */
export function parseOptionalCallbackUrl(config: Config, text: string | undefined): { callbackUrl?: string } {
  return text === undefined ? {} : { callbackUrl: parseCallbackUrl(config, text, 'callbackURL') }
}

/** A stored address; undefined when there is none, or when its origin was taken off the list in the meantime. */
export function findAllowedCallbackUrl(config: Config, text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : parseCallbackUrl(config, text, 'callbackURL')
  } catch {
    return undefined
  }
}

/**
 * `next`: exactly an origin that browsers may be sent back to, with or without the one slash that URL libraries print.
 * @returns the text as it came
 * @throws ApiError INVALID_CALLBACK_URL
 */
export function parseNext(config: Config, text: string, field = 'next'): string {
  const origin = text.endsWith('/') ? text.slice(0, -1) : text
  if (config.returnToOrigins.includes(origin)) return text
  throw new ApiError('INVALID_CALLBACK_URL', {
    field,
    message: 'next must be exactly one of the origins in RETURN_TO_ORIGINS.',
  })
}

function isOwnPath(config: Config, text: string): boolean {
  return (
    OWN_PATH.test(text) && URL.canParse(text, config.baseUrl) && new URL(text, config.baseUrl).origin === config.baseUrl
  )
}

function isAllowedUrl(config: Config, text: string): boolean {
  if (!/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(text) || !URL.canParse(text)) return false
  const { origin } = new URL(text)
  const isAllowed = origin === config.baseUrl || config.returnToOrigins.includes(origin)
  // The text must begin with the origin itself, so that no parser can read another host, or a user's name, out of it.
  return isAllowed && new RegExp(`^${RegExp.escape(origin)}(?:[/?#]|$)`).test(text)
}
