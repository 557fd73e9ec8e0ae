import type { Kysely } from 'kysely'
import { compileOnce, RESULT_UNUSED } from '../../../platform/database/compile-once.ts'
import type { Tables } from '../../../platform/database/tables.ts'

const REPLACED_MAXIMUM = 200
/** Codes and tokens of a user. A ban deletes all of them in one transaction, which may take about a second. */
const ARTIFACTS_OF_USER_MAXIMUM = 20_000
/** Replaced tokens that a grant keeps when its user has more codes and tokens than the maximum. */
const REPLACED_BEYOND_MAXIMUM = 5
/** Rows that one refresh may delete. An earlier version may have left many more rows than the limits. */
const DELETED_MAXIMUM = 1_000

export async function deleteOldestReplaced(
  transaction: Kysely<Tables>,
  { grantId, userId }: { grantId: string; userId: string },
): Promise<void> {
  await deleteReplaced(transaction, { grantId, kept: REPLACED_MAXIMUM })
  await deleteReplacedOfLargeUser(transaction, { grantId, userId })
}

interface Kept {
  grantId: string
  kept: number
}

function selectOldestReplaced(database: Kysely<Tables>, { grantId, kept }: Kept) {
  return database
    .selectFrom('oauthArtifacts')
    .select('idHash')
    .where('grantId', '=', grantId)
    .where('consumedAt', 'is not', null)
    .orderBy('createdAt', 'desc')
    .limit(DELETED_MAXIMUM)
    .offset(kept)
}

const deleteReplaced = compileOnce(
  (database, of: Kept) =>
    database.deleteFrom('oauthArtifacts').where('idHash', 'in', selectOldestReplaced(database, of)),
  RESULT_UNUSED,
)

const deleteReplacedOfLargeUser = compileOnce(
  (database, { grantId, userId }: { grantId: string; userId: string }) =>
    database
      .deleteFrom('oauthArtifacts')
      .where('idHash', 'in', selectOldestReplaced(database, { grantId, kept: REPLACED_BEYOND_MAXIMUM }))
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('oauthGrants')
            .innerJoin('oauthArtifacts as ofUser', 'ofUser.grantId', 'oauthGrants.id')
            .select('ofUser.grantId')
            .where('oauthGrants.userId', '=', userId)
            .limit(1)
            .offset(ARTIFACTS_OF_USER_MAXIMUM),
        ),
      ),
  RESULT_UNUSED,
)
