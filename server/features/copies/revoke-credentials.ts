import { deleteAllClientSessions } from '../../core/client-sessions/store.ts'
import { markAllDevicesFormer } from '../../core/devices/store.ts'
import { deleteAllTrustedDevices } from '../../core/devices/trusted-store.ts'
import type { UnitOfWork } from '../../core/in-transaction.ts'
import { completeCancellations } from '../../core/invitations/close-invitation.ts'
import { cancelAllInvitations } from '../../core/invitations/store.ts'
import { disableAllOAuthClients } from '../../core/oauth-clients/store.ts'
import { deleteAllConsents } from '../../core/oauth-consents/store.ts'
import { deleteAllSessions } from '../../core/sessions/store.ts'
import { revokeAllTokens } from '../../core/single-use-tokens/single-use-tokens.ts'
import { deleteAllMailedCodes, deleteAllSetups } from '../../core/two-step/store.ts'
import type { SigningKeyRow } from '../../platform/database/tables.ts'
import { discardEmails } from '../../platform/mail/outbox.ts'
import { deleteAllArtifacts } from '../openid/adapters/store.ts'
import { disableAllApiKeys } from '../organizations/api-keys/store.ts'
import { insertKey, markAllWithdrawn } from '../tokens/store.ts'
import { insertUnconfirmed } from './unconfirmed-store.ts'

const REASON = 'restored from a backup'

export interface RevokedCredentials {
  sessions: number
  clientSessions: number
  links: number
  trustedDevices: number
  consents: number
  invitations: number
  emails: number
  signingKeys: number
  apiKeys: number
  oauthClients: number
}

/** Revokes everything that may have been revoked after the backup. */
export async function revokeCredentials(unit: UnitOfWork, key: SigningKeyRow): Promise<RevokedCredentials> {
  const { transaction, context, record } = unit
  const now = context.now()
  await deleteAllArtifacts(transaction)
  const clientSessions = await deleteAllClientSessions(transaction)
  const links = await revokeAllTokens(transaction)
  const sessions = await deleteAllSessions(transaction)
  const trustedDevices = await deleteAllTrustedDevices(transaction)
  const consents = await deleteAllConsents(transaction)
  await markAllDevicesFormer(transaction)
  await deleteAllMailedCodes(transaction)
  await deleteAllSetups(transaction)
  const emails = await discardEmails(transaction, now, REASON)
  const signingKeys = await markAllWithdrawn(transaction, now)
  await insertKey(transaction, key)
  await record({ action: 'signing-key.created', subjectId: key.id })
  const counted = { sessions, clientSessions, links, trustedDevices, consents, emails, signingKeys }
  return { ...counted, invitations: await cancelInvitations(unit), ...(await disableCredentials(unit)) }
}

/** A link that was canceled or used after the backup must not work again. */
async function cancelInvitations(unit: UnitOfWork): Promise<number> {
  const canceled = await cancelAllInvitations(unit.transaction)
  await completeCancellations(unit, canceled, { reason: REASON })
  return canceled.length
}

/** The API keys and clients may have been deleted, or their secrets replaced, after the backup. */
async function disableCredentials({ transaction, context, recordAll }: UnitOfWork) {
  const now = context.now()
  const apiKeys = await disableAllApiKeys(transaction, now)
  await recordAll(
    apiKeys.map(({ id, organizationId }) => ({
      action: 'api-key.updated',
      subjectId: id,
      organizationId,
      details: { enabled: 0, reason: REASON },
    })),
  )
  const clients = await disableAllOAuthClients(transaction, now)
  await recordAll(
    clients.map(({ id, organizationId, name }) => ({
      action: 'oauth-client.updated',
      subjectId: id,
      ...(organizationId !== null && { organizationId }),
      details: { name, disabled: 1, reason: REASON },
    })),
  )
  const ids = [...apiKeys, ...clients].map(({ id }) => id)
  await insertUnconfirmed(transaction, ids, now)
  return { apiKeys: apiKeys.length, oauthClients: clients.length }
}
