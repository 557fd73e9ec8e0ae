import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import type { SigningKeys } from '../../tokens/signing-keys.ts'

/** Loaded when first used: it takes 150 ms, and many services never use it. */
export type Library = typeof import('oidc-provider')

export interface OpenIdContext extends Context {
  library: Library
  keys: SigningKeys
  rateLimits: RateLimits
}

/** A time in seconds of the clock that the library reads, which tests can't move. */
export function libraryTime({ now }: Pick<Context, 'now'>, milliseconds: number): number {
  return Math.floor((Date.now() + milliseconds - now()) / 1000)
}
