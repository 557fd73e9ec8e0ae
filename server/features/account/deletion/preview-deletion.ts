import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import { countRowsOf } from '../../../core/organizations/store.ts'
import { isLastAdministrator } from '../../../core/users/lock-managed-user.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { classifyMemberships } from './classify-memberships.ts'
import type { DeletionPreview } from './schemas.ts'
import { type EndingMembership, listEndingMemberships } from './store.ts'

/** Reads off the main thread, because the search for another owner may pass 50,000 members. */
export async function previewDeletion(context: Context, user: UserRow): Promise<Static<typeof DeletionPreview>> {
  const { slowReads: database, now } = context
  const { blocking, deleted, left } = classifyMemberships(await listEndingMemberships(database, user.id, now()))
  const organizations = blocking.map(({ id, name, slug }) => ({
    organizationId: id,
    name,
    slug,
    reason: 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER' as const,
  }))
  const nothing = { organizationId: null, name: null, slug: null }
  const administrators = (await isLastAdministrator(database, context, user))
    ? [{ ...nothing, reason: 'LAST_ADMINISTRATOR' as const }]
    : []
  const deletedIds = deleted.map(({ id }) => id)
  const apiKeyCounts = await countRowsOf(database, 'apiKeys', deletedIds)
  return {
    obstacles: [...administrators, ...organizations],
    organizationsDeleted: deleted.map(toReference),
    membershipsEnded: left.map(toReference),
    apiKeys: [...apiKeyCounts.values()].reduce((sum, count) => sum + count, 0),
  }
}

function toReference({ id, name, slug }: EndingMembership) {
  return { id, name, slug }
}
