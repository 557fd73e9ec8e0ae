import type { Kysely } from 'kysely'
import { lockUsersForShare } from '../../core/users/lock-user.ts'
import { chunksOf } from '../../platform/database/chunks.ts'
import type { Tables } from '../../platform/database/tables.ts'
import type { Progress } from './progress.ts'
import type { SourceOrganization } from './source-rows.ts'

/** Locked users are not deleted until the transaction ends. @returns the ids of the users who still exist */
export async function lockMemberUsersForShare(
  transaction: Kysely<Tables>,
  progress: Progress,
  organizations: SourceOrganization[],
): Promise<Set<string>> {
  const ids = new Set(organizations.flatMap(({ members }) => members.map(({ userId }) => userId)))
  const lockedIds: string[] = []
  for (const some of chunksOf([...ids.intersection(progress.userIds)].toSorted()))
    lockedIds.push(...(await lockUsersForShare(transaction, some)).map(({ id }) => id))
  return new Set(lockedIds)
}
