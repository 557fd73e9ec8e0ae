import { type ClientMetadata, CONFIDENTIAL_GRANT_TYPES } from '../../core/oauth-clients/metadata.ts'
import { ApiError } from '../../platform/http/errors.ts'

/** Without a user's consent, a client that registered itself gets nothing. @throws ApiError INVALID_CLIENT_METADATA */
export function assertHasUsers({ grant_types }: ClientMetadata, path = ''): void {
  const withoutUser = grant_types.find((type) => CONFIDENTIAL_GRANT_TYPES.includes(type))
  if (!withoutUser) return
  const limit = `Apps that register themselves do not get the grant type ${withoutUser}.`
  const message = `${limit} An administrator can create an app with it.`
  throw new ApiError('INVALID_CLIENT_METADATA', { field: `${path}grant_types`, message })
}
