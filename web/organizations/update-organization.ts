import { authentication } from '../shared/api/authentication.ts'
import { queryClient } from '../shared/api/queries.ts'
import type { Overview } from './queries.ts'

type Change = { name?: string; slug?: string; metadata?: Record<string, unknown> }

export async function updateOrganization({ id }: Overview['organization'], data: Change): Promise<void> {
  await authentication.organization.update({ organizationId: id, data })
  // A new slug is a new address, whose page asks for itself.
  if (data.slug === undefined) await queryClient.invalidateQueries()
}

export function parseMetadata({ metadata }: Overview['organization']): Record<string, unknown> {
  return metadata === null ? {} : (JSON.parse(metadata) as Record<string, unknown>)
}
