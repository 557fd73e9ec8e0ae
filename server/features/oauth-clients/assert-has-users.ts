import { type ClientMetadata, CONFIDENTIAL_GRANT_TYPES } from '../../core/oauth-clients/metadata.ts'
import { ApiError } from '../../platform/http/errors.ts'

/**
 * A client that registered itself gets nothing without the consent of a user. Without any consent, it is also deleted
 * when others register.
 * @param path of the metadata in the request, for the error
 * @throws ApiError INVALID_CLIENT_METADATA
 */
export function assertHasUsers({ grant_types }: ClientMetadata, path = ''): void {
  const withoutUser = grant_types.find((type) => CONFIDENTIAL_GRANT_TYPES.includes(type))
  if (!withoutUser) return
  const limit = `Apps that register themselves do not get the grant type ${withoutUser}.`
  const message = `${limit} An administrator can create an app with it.`
  throw new ApiError('INVALID_CLIENT_METADATA', { field: `${path}grant_types`, message })
}
