import type { Kysely } from 'kysely'
import type { AdapterPayload } from 'oidc-provider'
import { DEVICE_CODE_GRANT } from '../../../core/oauth-clients/metadata.ts'
import { splitKnownScopes } from '../../../core/oauth-clients/scopes.ts'
import { findOAuthClient, metadataOf } from '../../../core/oauth-clients/store.ts'
import type { OAuthArtifactRow, OAuthClientRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { expiryOfArtifact } from '../adapters/payload.ts'
import { findDeviceCode, hashOfArtifact } from '../adapters/store.ts'
import type { DeviceInfo } from './schemas.ts'

export interface DeviceRequest {
  row: OAuthArtifactRow
  payload: AdapterPayload
  client: OAuthClientRow
  scopes: string[]
  resources: string[]
  organizationSlug: string | undefined
  status: 'pending' | 'approved' | 'denied'
  requestedBy: DeviceInfo
}

export interface EnteredCode {
  userCode: string
  userId: string
}

interface Parameters {
  scope?: string
  resource?: string | string[]
  organization?: string
}

/** @throws ApiError DEVICE_CODE_NOT_FOUND also when another user has answered */
export async function getDeviceRequest(
  database: Kysely<Tables>,
  { userCode, userId }: EnteredCode,
  now: number,
): Promise<DeviceRequest> {
  const row = await findDeviceCode(database, hashOfArtifact('user code', normalizeUserCode(userCode)), now)
  if (!row || row.clientId === null || expiryOfArtifact(row) <= now) throw new ApiError('DEVICE_CODE_NOT_FOUND')
  const client = await findOAuthClient(database, row.clientId)
  const isAllowed = client?.disabled === 0 && metadataOf(client).grant_types.includes(DEVICE_CODE_GRANT)
  if (!isAllowed) throw new ApiError('DEVICE_CODE_NOT_FOUND')
  const payload = JSON.parse(row.payload) as AdapterPayload
  const status = statusOf(payload)
  // The device of another user must not look like one of this user.
  if (status !== 'pending' && payload.accountId !== userId) throw new ApiError('DEVICE_CODE_NOT_FOUND')
  const { scope, resource, organization } = (payload.params ?? {}) as Parameters
  return {
    row,
    payload,
    client,
    scopes: splitKnownScopes(scope),
    resources: [resource ?? []].flat(),
    organizationSlug: organization,
    status,
    requestedBy: payload.deviceInfo as DeviceInfo,
  }
}

/** The library normalizes a code in the same way when it creates the code. */
function normalizeUserCode(userCode: string): string {
  return userCode.replaceAll(/[^a-z0-9]/gi, '').toUpperCase()
}

export function formatUserCode(userCode: string): string {
  const normalized = normalizeUserCode(userCode)
  return `${normalized.slice(0, 4)}-${normalized.slice(4)}`
}

function statusOf({ accountId, error }: AdapterPayload): DeviceRequest['status'] {
  if (error !== undefined) return 'denied'
  return accountId === undefined ? 'pending' : 'approved'
}
