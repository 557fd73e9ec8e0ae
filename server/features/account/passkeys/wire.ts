import type { Static } from 'typebox'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { toIso, toIsoOrNull } from '../../../platform/http/time.ts'
import { findAuthenticatorName } from './authenticator-name.ts'
import type { Passkey } from './schemas.ts'

export function toPasskey(row: PasskeyRow): Static<typeof Passkey> {
  return {
    ...row,
    backedUp: row.backedUp === 1,
    createdAt: toIso(row.createdAt),
    lastUsedAt: toIsoOrNull(row.lastUsedAt),
    authenticatorName: findAuthenticatorName(row.aaguid) ?? null,
  }
}

export function toDescriptor({ credentialID, transports }: PasskeyRow) {
  return { id: credentialID, type: 'public-key', transports: transports ? transports.split(',') : [] }
}
