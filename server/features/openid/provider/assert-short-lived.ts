import { HOUR_MILLISECONDS } from '../../../platform/time/time-units.ts'
import type { OpenIdContext } from '../common/openid-context.ts'

const ASSERTION_MILLISECONDS_MAXIMUM = HOUR_MILLISECONDS

/** A replay is noticed until the assertion expires, so each one is stored for that long. @throws InvalidClientAuth */
export function assertShortLived({ library, now }: OpenIdContext, expiresAtSeconds: unknown): void {
  if (Number(expiresAtSeconds) * 1000 > now() + ASSERTION_MILLISECONDS_MAXIMUM)
    throw new library.errors.InvalidClientAuth('the assertion must expire (exp) within an hour')
}
