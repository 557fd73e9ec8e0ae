import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Membership } from '../../../core/access/access.ts'
import { findMembership } from '../../../core/memberships/find-membership.ts'
import { listOrganizationsOf } from '../../../core/organizations/store.ts'
import { ownMetadataOf } from '../common/client-metadata.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import { outcomeOf } from './outcome.ts'

/** True also for every client that an organization owns, because such a client is for the members only. */
export function needsOrganization({ oidc: { client, requestParamScopes } }: KoaContextWithOIDC): boolean {
  return (
    requestParamScopes.has('organization') || (client !== undefined && ownMetadataOf(client).organizationId !== null)
  )
}

/**
 * @returns undefined when the user has to choose
 * @throws AccessDenied with the same text for an unknown organization and for one that the user is no member of
 */
export async function resolveOrganization(
  context: OpenIdContext,
  ctx: KoaContextWithOIDC,
): Promise<Membership | undefined> {
  const state = getRequestState()
  state.membership ??= await findChosen(context, ctx)
  return state.membership
}

async function findChosen(context: OpenIdContext, ctx: KoaContextWithOIDC): Promise<Membership | undefined> {
  const { caller } = getRequestState()
  if (!caller) return undefined
  const { database, library } = context
  const { AccessDenied } = library.errors
  const { id: userId } = caller.user
  const slug = ctx.oidc.params?.organization
  const { organizationId: ownerId } = ownMetadataOf(ctx.oidc.client ?? {})
  if (slug !== undefined || ownerId !== null) {
    const named = await findMembership(database, userId, {
      ...(slug !== undefined && { slug: String(slug) }),
      ...(ownerId !== null && { id: ownerId }),
    })
    if (!named) throw new AccessDenied('there is no such organization, or the user is no member of it')
    return named
  }
  const { organization } = outcomeOf(ctx)
  const chosen =
    organization?.userId === userId ? await findMembership(database, userId, { id: organization.id }) : undefined
  if (chosen) return chosen
  const [first, ...others] = await listOrganizationsOf(database, userId, { limit: 2, offset: 0 })
  if (!first) throw new AccessDenied('the user is a member of no organization')
  return others.length === 0 ? findMembership(database, userId, { id: first.id }) : undefined
}
