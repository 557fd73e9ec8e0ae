import type { Kysely } from 'kysely'
import type { ClientManager } from '../../core/access/access.ts'
import type { Actor } from '../../core/audit/actor.ts'
import { lockManager, ownerOf } from '../../core/client-management/lock-manager.ts'
import { revokeSessionsOfDisabledClient } from '../../core/client-management/revoke-sessions.ts'
import { selectSessionsAtClient } from '../../core/client-sessions/store.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import { type ClientMetadata, usesSecret } from '../../core/oauth-clients/metadata.ts'
import {
  isSelfRegistered,
  lockOAuthClientForUpdate,
  metadataOf,
  toMetadataColumns,
  updateOAuthClientRow,
} from '../../core/oauth-clients/store.ts'
import { hasMoreThan } from '../../platform/database/has-more-than.ts'
import type { OAuthClientRow, Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { assertHasUsers } from './assert-has-users.ts'
import { assertMaySkipConsent } from './create-client.ts'
import type { ClientMetadataInput } from './metadata-fields.ts'
import { type ClientWithSecret, newSecret } from './new-client.ts'
import { parseClientMetadata } from './parse-metadata.ts'

interface ClientUpdate {
  /** A field that is null is removed, or gets its default value. */
  metadata: ClientMetadataInput
  skipConsent?: boolean
  disabled?: boolean
  /** The stored lists that the caller has read. A list that is undefined may have any content. */
  expected?: ExpectedLists
}

type ExpectedLists = { [Name in 'redirect_uris' | 'post_logout_redirect_uris']?: string[] }

/**
 * Batches after the transaction revoke the sessions at a disabled client, which could exceed the time of the
 * transaction.
 * @throws ApiError NO_DATA_TO_UPDATE; FIELD_NOT_ALLOWED; INVALID_REDIRECT_URI; INVALID_CLIENT_METADATA;
 *   METADATA_CHANGED; ORGANIZATION_NOT_FOUND; FORBIDDEN; OAUTH_CLIENT_NOT_FOUND; SERVICE_UNAVAILABLE
 */
export async function updateClient(
  context: Context,
  actor: Actor,
  manager: ClientManager,
  clientId: string,
  update: ClientUpdate,
): Promise<ClientWithSecret> {
  const { skipConsent, disabled } = update
  if (skipConsent) assertMaySkipConsent(manager, 'update.skip_consent')
  const switches = {
    ...(skipConsent !== undefined && { skipConsent: skipConsent ? 1 : 0 }),
    ...(disabled !== undefined && { disabled: disabled ? 1 : 0 }),
  }
  const names = [...Object.keys(update.metadata), ...Object.keys(switches)]
  if (names.length === 0) throw new ApiError('NO_DATA_TO_UPDATE')
  if (disabled === false) await revokeSessionsOfDisabledClient(context, clientId)
  const updated = await inTransaction(context, actor, async ({ transaction, record }) => {
    const organizationId = await lockManager(transaction, context, manager)
    const row = await lockOAuthClientForUpdate(transaction, { id: clientId, organizationId })
    if (skipConsent && isSelfRegistered(row)) throw selfRegisteredMayNotSkipConsent()
    if (disabled === false) await assertMayBeEnabled(transaction, row)
    assertExpected(update, metadataOf(row))
    const metadata = parseMergedMetadata(context, row, update)
    const hasItsSecret = row.secretHash !== null && usesSecret(metadata)
    const { secretHash, ...secret } = hasItsSecret ? row : newSecret(context, metadata)
    const change = { ...toMetadataColumns(metadata), ...switches, secretHash, updatedAt: context.now() }
    const client = await updateOAuthClientRow(transaction, clientId, change)
    const details = { name: client.name, changed: names.join(', '), ...switches }
    await record({ action: 'oauth-client.updated', subjectId: clientId, ...ownerOf(organizationId), details })
    return { client, ...('secret' in secret && { secret: secret.secret }) }
  })
  if (disabled) await revokeSessionsIfPossible(context, clientId)
  return updated
}

/** An enabled client must have no earlier sessions. A concurrent request may have disabled it after the batches. */
async function assertMayBeEnabled(transaction: Kysely<Tables>, { id, disabled }: OAuthClientRow): Promise<void> {
  if (disabled === 1 && (await hasMoreThan(selectSessionsAtClient(transaction, id), 0)))
    throw new ApiError('SERVICE_UNAVAILABLE')
}

/** Stored metadata may be older than a check, or than BASE_URL. A manager must be able to disable the client. */
function parseMergedMetadata(
  { config }: Context,
  row: OAuthClientRow,
  { metadata: update, skipConsent, disabled }: ClientUpdate,
): ClientMetadata {
  const isOnlyRestricted = Object.keys(update).length === 0 && disabled !== false && !skipConsent
  if (isOnlyRestricted) return metadataOf(row)
  const metadata = parseClientMetadata(config, { ...metadataOf(row), ...update }, 'update.')
  if (isSelfRegistered(row)) assertHasUsers(metadata, 'update.')
  return metadata
}

function assertExpected({ metadata: update, expected = {} }: ClientUpdate, stored: ClientMetadata): void {
  for (const name of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    if (expected[name] === undefined) continue
    // A repeated request, whose first response was lost, finds its own list without duplicates.
    const own = name in update ? [...new Set(update[name])] : undefined
    const isStored = [expected[name], own].some((list) => JSON.stringify(list) === JSON.stringify(stored[name]))
    if (!isStored) throw new ApiError('METADATA_CHANGED', { field: `expected.${name}` })
  }
}

function selfRegisteredMayNotSkipConsent(): ApiError {
  const message = 'An app that registered itself always asks users for consent.'
  return new ApiError('FIELD_NOT_ALLOWED', { field: 'update.skip_consent', message })
}

/** The client is disabled already, and an error response would say that it is not. */
async function revokeSessionsIfPossible(context: Context, clientId: string): Promise<void> {
  try {
    await revokeSessionsOfDisabledClient(context, clientId)
  } catch (error) {
    context.log.error({ err: error, clientId }, 'sessions at a disabled client are left to maintenance')
  }
}
