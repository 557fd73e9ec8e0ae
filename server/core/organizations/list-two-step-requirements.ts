import type { OrganizationRow, UserRow } from '../../platform/database/tables.ts'
import { isTwoStepRequiredOf } from '../access/two-step-policy.ts'
import type { Context } from '../context.ts'
import { listOrganizationsRequiringTwoStep } from './store.ts'

export type TwoStepRequirement =
  | { kind: 'service' }
  | ({ kind: 'organization' } & Pick<OrganizationRow, 'id' | 'name' | 'slug'>)

export async function listTwoStepRequirements(
  { config, database }: Pick<Context, 'config' | 'database'>,
  user: Pick<UserRow, 'id' | 'role'>,
): Promise<TwoStepRequirement[]> {
  const organizations = await listOrganizationsRequiringTwoStep(database, user.id)
  return [
    ...(isTwoStepRequiredOf(config, user) ? [{ kind: 'service' as const }] : []),
    ...organizations.map((organization) => ({ kind: 'organization' as const, ...organization })),
  ]
}
