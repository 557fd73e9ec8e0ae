import { refreshPages } from '../shared/api/queries.ts'
import { request } from '../shared/api/request.ts'
import type { Overview } from './queries.ts'

type Change = { name?: string; slug?: string; metadata?: Record<string, unknown>; requireTwoFactor?: boolean }

/**
 * The types of the official client lack `requireTwoFactor` and `expectedMetadata`.
 * @param organization that the page shows: the service refuses the change if other metadata is stored
 * @throws RequestFailed METADATA_CHANGED, among others
 */
export async function updateOrganization(organization: Overview['organization'], data: Change): Promise<void> {
  const expected = data.metadata !== undefined && { expectedMetadata: organization.metadata }
  await request('/api/auth/organization/update', { organizationId: organization.id, data, ...expected })
  // After a change of the slug, the page has a new address, and loads its data itself.
  if (data.slug === undefined) await refreshPages()
}

export function parseMetadata({ metadata }: Overview['organization']): Record<string, unknown> {
  return metadata === null ? {} : (JSON.parse(metadata) as Record<string, unknown>)
}
