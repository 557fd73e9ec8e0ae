import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { saveConsent, toAllowed } from '../../../core/oauth-consents/store.ts'
import { lockCallerForShare } from '../../../core/sessions/lock-caller.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { findOrganizationOfConsent } from './describe-interaction.ts'
import type { OpenInteraction } from './get-interaction.ts'

interface Answer {
  accept: boolean
  /** The allowed scopes; all by default. */
  scope?: string | undefined
  organizationId?: string | undefined
}

/** @throws ApiError INTERACTION_NOT_FOUND; VALIDATION_ERROR; UNAUTHORIZED; ORGANIZATION_NOT_FOUND; OAUTH_… */
export async function answerConsent(
  context: Context,
  actor: Actor,
  caller: Caller,
  interaction: OpenInteraction,
  { accept, scope, organizationId: shownId }: Answer,
): Promise<void> {
  const { kind, client, scopes: requested, save } = interaction
  if (kind !== 'consent') throw new ApiError('INTERACTION_NOT_FOUND')
  if (!accept) return save({ isRefused: true })
  const scopes = scope === undefined ? requested : splitScopes(scope)
  if (scopes.some((name) => !requested.includes(name)))
    throw new ApiError('VALIDATION_ERROR', { message: 'Allow only scopes that the app asks for.', field: 'scope' })
  if (requested.includes('openid') && !scopes.includes('openid'))
    throw new ApiError('VALIDATION_ERROR', { message: "The scope openid can't be left out.", field: 'scope' })
  const { id: userId } = caller.user
  const organizationId = (await findOrganizationOfConsent(context, userId, interaction))?.id ?? null
  // The user may have left the organization that the page showed, and the rule may have found another one.
  if (shownId !== undefined && shownId !== organizationId)
    throw new ApiError('ORGANIZATION_NOT_FOUND', { field: 'organizationId' })
  const allowed = { userId, ...toAllowed(scopes, organizationId) }
  const leftOut = requested.filter((name) => !scopes.includes(name))
  await inTransaction(context, actor, async (unit) => {
    await lockCallerForShare(unit.transaction, caller)
    await saveConsent(unit, { clientId: client.id, ...allowed, refused: toAllowed(leftOut, organizationId) })
  })
  await save({ consent: allowed, isRefused: false })
}
