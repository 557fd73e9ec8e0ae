import type { JWTPayload } from 'jose'
import type { Membership } from '../../../core/access/access.ts'
import { lacksSecondStepForToken } from '../../../core/access/two-factor-policy.ts'
import { findMembership } from '../../../core/memberships/find-membership.ts'
import { findOAuthClient } from '../../../core/oauth-clients/store.ts'
import { findSignIn, type SignIn } from '../../../core/sessions/find-caller.ts'
import { listTokenHashesOfSecond } from '../../../core/sessions/store.ts'
import type { OpenIdContext } from '../grants/openid-context.ts'
import { ACCESS_TOKEN_SECONDS } from '../grants/scopes.ts'
import { toArtifact } from './payload.ts'
import { findArtifact, hashOf, insertArtifact } from './store.ts'

/** Of a token of `/api/token`, or of one that was exchanged for it: they name no session. */
interface Claims extends JWTPayload {
  client_id?: string
  org_id?: string
  auth_time?: number
  act?: Act
}

/** The actor of now is outside, and earlier ones are inside. */
interface Act {
  sub: string
  act?: Act
}

interface Subject extends SignIn {
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

/**
 * The user, session and membership of the token, as they are now.
 * @param claims verified ones
 * @returns undefined when the token or one of them has ended
 */
export async function findSubjectWithoutGrant(
  context: OpenIdContext,
  claims: JWTPayload,
): Promise<Subject | undefined> {
  const { org_id: id } = claims as Claims
  if (!(await isTokenWithoutGrantValid(context, claims))) return undefined
  const signIn = await findSignInOf(context, claims)
  if (!signIn?.user.emailVerified) return undefined
  const membership = id === undefined ? undefined : await findMembership(context.database, signIn.user.id, { id })
  if (id !== undefined && !membership) return undefined
  return lacksSecondStepForToken(context.config, signIn, membership?.organization)
    ? undefined
    : { ...signIn, membership }
}

/** The token names no session, but the second in which it began. */
async function findSignInOf(context: OpenIdContext, { sub = '', auth_time, act }: Claims): Promise<SignIn | undefined> {
  if (auth_time === undefined) return undefined
  const impersonator = await findImpersonatorIn(context, act)
  for (const tokenHash of await listTokenHashesOfSecond(context.database, sub, auth_time)) {
    const signIn = await findSignIn(context, tokenHash)
    if (signIn?.session.impersonatedBy === impersonator) return signIn
  }
  return undefined
}

/** @returns the first actor; null for a token of the user's own session, whose actors are all clients */
async function findImpersonatorIn({ database }: OpenIdContext, act: Claims['act']): Promise<string | null> {
  const first = findFirstActor(act)
  return first === undefined || (await findOAuthClient(database, first)) ? null : first
}

function findFirstActor(act: Claims['act']): string | undefined {
  return act?.act === undefined ? act?.sub : findFirstActor(act.act)
}
