import type { JWTPayload } from 'jose'
import type { Membership } from '../../../core/access/access.ts'
import { isSecondStepRequired } from '../../../core/access/two-factor-policy.ts'
import { findMembership } from '../../../core/memberships/find-membership.ts'
import { findOAuthClient } from '../../../core/oauth-clients/store.ts'
import { isBanned } from '../../../core/users/banned.ts'
import { findUser } from '../../../core/users/find-user.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import type { OpenIdContext } from '../grants/openid-context.ts'
import { ACCESS_TOKEN_SECONDS } from '../grants/scopes.ts'
import { toArtifact } from './payload.ts'
import { findArtifact, hashOf, insertArtifact } from './store.ts'

/** Of a token of `/api/token`, or of one that was exchanged for it: they name no session. */
interface Claims extends JWTPayload {
  client_id?: string
  org_id?: string
  amr?: string[]
  act?: { sub?: string }
}

interface Subject {
  user: UserRow
  membership: Membership | undefined
}

/** Such a token has no row that could be deleted, so that its id is stored until it expires. */
export async function revokeTokenWithoutGrant(context: OpenIdContext, id: string): Promise<void> {
  await insertArtifact(context.database, toArtifact(context, 'RevokedToken', id, {}, ACCESS_TOKEN_SECONDS))
}

/** @returns false when it was revoked, or its client has ended (CVE-2023-0091) */
export async function isTokenWithoutGrantValid(
  { database, now }: OpenIdContext,
  { jti = '', client_id }: Claims,
): Promise<boolean> {
  if (await findArtifact(database, hashOf('RevokedToken', jti), now())) return false
  return client_id === undefined || (await findOAuthClient(database, client_id))?.disabled === 0
}

/** The user as it is now. @param claims verified ones @returns undefined when the token or the user has ended */
export async function findSubjectWithoutGrant(
  context: OpenIdContext,
  claims: JWTPayload,
): Promise<Subject | undefined> {
  const { database, config, now } = context
  const { sub = '', org_id: id, amr = [], act } = claims as Claims
  if (!(await isTokenWithoutGrantValid(context, claims))) return undefined
  const user = await findUser(database, sub)
  if (!user || isBanned(user, now())) return undefined
  const membership = id === undefined ? undefined : await findMembership(database, user.id, { id })
  if (id !== undefined && !membership) return undefined
  const session = { impersonatedBy: act?.sub ?? null }
  const isRequired = isSecondStepRequired(config, { user, session }, membership?.organization)
  return isRequired && !amr.includes('mfa') ? undefined : { user, membership }
}
