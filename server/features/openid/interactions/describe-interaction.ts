import type { Static } from 'typebox'
import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { metadataOf } from '../../../core/oauth-clients/store.ts'
import { findOrganization, listOrganizationsOf } from '../../../core/organizations/store.ts'
import type { OAuthClientRow } from '../../../platform/database/tables.ts'
import type { FoundInteraction } from './find-interaction.ts'
import type { ClientOfPage, InteractionAnswer, OrganizationChoice } from './schemas.ts'

/** What a page says about the app that asks. */
export async function describeInteraction(
  context: Context,
  caller: Caller | null,
  { kind, client, scopes, redirectUri, loginHint, resumeUrl }: FoundInteraction,
): Promise<InteractionAnswer> {
  return {
    kind,
    client: await describeClient(context, client),
    redirectOrigin: redirectUri === undefined ? null : targetOf(redirectUri),
    scopes,
    loginHint: loginHint ?? null,
    user: caller && pickUser(caller),
    organizations: kind === 'organization' && caller ? await listChoices(context, caller.user.id) : [],
    resumeUrl,
  }
}

export async function describeClient(
  { database }: Context,
  client: OAuthClientRow,
): Promise<Static<typeof ClientOfPage>> {
  const { client_name, client_uri, logo_uri, tos_uri, policy_uri } = metadataOf(client)
  const organization =
    client.organizationId === null ? undefined : await findOrganization(database, { id: client.organizationId })
  return {
    clientId: client.id,
    name: client_name,
    uri: client_uri ?? null,
    logoUri: logo_uri ?? null,
    tosUri: tos_uri ?? null,
    policyUri: policy_uri ?? null,
    organizationName: organization?.name ?? null,
  }
}

export async function listChoices({ database }: Context, userId: string): Promise<Static<typeof OrganizationChoice>[]> {
  const organizations = await listOrganizationsOf(database, userId)
  return organizations.map(({ id, name, slug, logo, role }) => ({ id, name, slug, logo, role }))
}

function pickUser({ user: { id, name, email, image } }: Caller): InteractionAnswer['user'] {
  return { id, name, email, image }
}

/** The origin, or the scheme of an app on a device. */
function targetOf(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri)
  return origin === 'null' ? protocol : origin
}
