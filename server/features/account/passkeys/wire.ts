import type { Static } from 'typebox'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { toIso } from '../../../platform/http/time.ts'
import type { Passkey } from './schemas.ts'

export function toPasskey(row: PasskeyRow): Static<typeof Passkey> {
  return { ...row, backedUp: row.backedUp === 1, createdAt: toIso(row.createdAt) }
}

export function toDescriptor({ credentialID, transports }: PasskeyRow) {
  return { id: credentialID, type: 'public-key', transports: transports ? transports.split(',') : [] }
}
