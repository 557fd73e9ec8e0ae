import type { Actor } from '../../../core/audit/actor.ts'
import { deleteClientSessions } from '../../../core/client-sessions/store.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { findOAuthClient } from '../../../core/oauth-clients/store.ts'
import { deleteConsent } from '../../../core/oauth-consents/store.ts'
import { lockSessionsOfUserForUpdate } from '../../../core/sessions/lock-sessions.ts'
import { lockUserForShare } from '../../../core/users/lock-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** @throws ApiError OAUTH_CONSENT_NOT_FOUND */
export async function revokeConsent(context: Context, actor: Actor, userId: string, id: string): Promise<void> {
  await inTransaction(context, actor, async (unit) => {
    await lockUserAndSessions(unit, userId)
    const consent = await deleteConsent(unit.transaction, userId, { id })
    if (!consent) throw new ApiError('OAUTH_CONSENT_NOT_FOUND', { field: 'id' })
    await deleteClientSessions(unit.transaction, consent)
    await recordRevocation(unit, userId, consent.clientId)
  })
}

/** @throws ApiError OAUTH_CLIENT_NOT_FOUND for an app without access to the account */
export async function revokeApp(context: Context, actor: Actor, userId: string, clientId: string): Promise<void> {
  await inTransaction(context, actor, async (unit) => {
    await lockUserAndSessions(unit, userId)
    const consent = await deleteConsent(unit.transaction, userId, { clientId })
    const hadSession = await deleteClientSessions(unit.transaction, { userId, clientId })
    if (!consent && !hadSession) throw new ApiError('OAUTH_CLIENT_NOT_FOUND', { field: 'clientId' })
    await recordRevocation(unit, userId, clientId)
  })
}

/** A sign-out locks a session, then deletes its sessions at clients. The other order could deadlock. */
async function lockUserAndSessions({ transaction }: UnitOfWork, userId: string): Promise<void> {
  await lockUserForShare(transaction, userId)
  await lockSessionsOfUserForUpdate(transaction, userId)
}

async function recordRevocation({ transaction, record }: UnitOfWork, userId: string, clientId: string): Promise<void> {
  const client = await findOAuthClient(transaction, clientId)
  const details = { clientId, name: client?.name ?? '' }
  await record({ action: 'oauth-consent.revoked', subjectId: userId, details })
}
