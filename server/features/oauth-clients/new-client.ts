import type { Context } from '../../core/context.ts'
import { type ClientMetadata, usesSecret } from '../../core/oauth-clients/metadata.ts'
import { toMetadataColumns } from '../../core/oauth-clients/store.ts'
import { hashToken, newId, newToken } from '../../platform/crypto/tokens.ts'
import type { OAuthClientRow } from '../../platform/database/tables.ts'

/** Public clients, and those with a key, have no secret. */
export interface ClientWithSecret {
  client: OAuthClientRow
  secret?: string
}

export function newOAuthClient(
  context: Context,
  metadata: ClientMetadata,
  {
    organizationId,
    skipConsent = false,
    createdBy,
  }: {
    organizationId: string | null
    skipConsent?: boolean
    createdBy: string | null
  },
): ClientWithSecret {
  const now = context.now()
  const { secretHash, ...secret } = newSecret(context, metadata)
  const client: OAuthClientRow = {
    id: newId('cli', context),
    organizationId,
    secretHash,
    ...toMetadataColumns(metadata),
    skipConsent: skipConsent ? 1 : 0,
    disabled: 0,
    createdBy,
    createdAt: now,
    updatedAt: now,
  }
  return { client, ...secret }
}

export function newSecret(context: Context, metadata: ClientMetadata): { secret?: string; secretHash: string | null } {
  if (!usesSecret(metadata)) return { secretHash: null }
  const secret = newToken(context)
  return { secret, secretHash: hashToken(secret) }
}
