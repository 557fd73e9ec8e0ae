import type { OrganizationRow, UserRow } from '../../platform/database/tables.ts'
import { isTwoFactorRequiredOf } from '../access/two-factor-policy.ts'
import type { Context } from '../context.ts'
import { listOrganizationsRequiringTwoFactor } from './store.ts'

export type TwoFactorRequirement =
  | { kind: 'service' }
  | ({ kind: 'organization' } & Pick<OrganizationRow, 'id' | 'name' | 'slug'>)

/** The setting of the service, and the user's organizations, if they require two-step verification of the user. */
export async function listTwoFactorRequirements(
  { config, database }: Context,
  user: Pick<UserRow, 'id' | 'role'>,
): Promise<TwoFactorRequirement[]> {
  const organizations = await listOrganizationsRequiringTwoFactor(database, user.id)
  return [
    ...(isTwoFactorRequiredOf(config, user) ? [{ kind: 'service' as const }] : []),
    ...organizations.map((organization) => ({ kind: 'organization' as const, ...organization })),
  ]
}
