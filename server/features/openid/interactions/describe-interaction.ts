import type { Static } from 'typebox'
import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { MEMBERSHIPS_PER_PAGE } from '../../../core/field-limits.ts'
import { isSelfRegistered, metadataOf } from '../../../core/oauth-clients/store.ts'
import { findOrganization, listOrganizationsOf } from '../../../core/organizations/store.ts'
import type { OAuthClientRow } from '../../../platform/database/tables.ts'
import { redirectTargetOf } from '../common/redirect-target.ts'
import type { OpenInteraction } from './get-interaction.ts'
import type { ClientOfPage, InteractionResponse, OrganizationChoice } from './schemas.ts'

export async function describeInteraction(
  context: Context,
  caller: Caller | null,
  interaction: OpenInteraction,
): Promise<InteractionResponse> {
  const { kind, client, scopes, redirectUri, loginHint, resumeUrl } = interaction
  return {
    kind,
    client: await describeClient(context, client),
    redirectOrigin: redirectUri === undefined ? null : redirectTargetOf(redirectUri),
    scopes,
    loginHint: loginHint ?? null,
    user: caller && pickUser(caller),
    organizations: caller ? await listOrganizations(context, caller.user.id, interaction) : [],
    resumeUrl,
  }
}

/** For consent, only the organization that the app will see. */
async function listOrganizations(
  context: Context,
  userId: string,
  interaction: OpenInteraction,
): Promise<Static<typeof OrganizationChoice>[]> {
  if (interaction.kind === 'organization') return listChoices(context, userId)
  if (interaction.kind !== 'consent') return []
  const organization = await findOrganizationOfConsent(context, userId, interaction)
  return organization ? [organization] : []
}

/** Follows the rules of `resolveOrganization`. @returns undefined without the scope `organization` */
export async function findOrganizationOfConsent(
  context: Context,
  userId: string,
  { client, scopes, organization }: OpenInteraction,
): Promise<Static<typeof OrganizationChoice> | undefined> {
  if (!scopes.includes('organization')) return undefined
  const choices = await listChoices(context, userId)
  if (client.organizationId !== null) return choices.find(({ id }) => id === client.organizationId)
  if (organization.slug !== undefined) return choices.find(({ slug }) => slug === organization.slug)
  return choices.find(({ id }) => id === organization.id) ?? (choices.length === 1 ? choices[0] : undefined)
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
    isSelfRegistered: isSelfRegistered(client),
  }
}

/** A user may have more than one page of organizations. */
export async function listChoices({ database }: Context, userId: string): Promise<Static<typeof OrganizationChoice>[]> {
  const choices: Static<typeof OrganizationChoice>[] = []
  for (;;) {
    const page = { limit: MEMBERSHIPS_PER_PAGE, offset: choices.length }
    const organizations = await listOrganizationsOf(database, userId, page)
    choices.push(...organizations.map(({ id, name, slug, logo, role }) => ({ id, name, slug, logo, role })))
    if (organizations.length < page.limit) return choices
  }
}

function pickUser({ user: { id, name, email, image } }: Caller): InteractionResponse['user'] {
  return { id, name, email, image }
}
