import type { Static } from 'typebox'
import { listRecordedEvents } from '../../../core/audit/list-events.ts'
import type { Context } from '../../../core/context.ts'
import { listUsersById } from '../../../core/users/find-user.ts'
import { toIso, toIsoOrNull } from '../../../platform/http/time.ts'
import type { ImpersonationList } from './schemas.ts'

const SHOWN_MAXIMUM = 100
/** More than `SHOWN_MAXIMUM`: impersonations that are too old to be shown may have ended in the same time. */
const REVOCATIONS_MAXIMUM = 1_000

/** Reads off the main thread: the user may have any number of other events. The reason is for staff only. */
export async function listImpersonations(context: Context, userId: string): Promise<Static<typeof ImpersonationList>> {
  const started = await listRecordedEvents(
    { database: context.slowReads },
    { subjectId: userId, action: 'impersonation.started' },
    { limit: SHOWN_MAXIMUM, offset: 0 },
  )
  const oldest = started.at(-1)
  if (!oldest) return []
  const revocations = await readRevocations(context, userId, oldest.createdAt)
  const staffIds = [...new Set(started.map(({ actorId }) => actorId ?? ''))]
  const staff = new Map((await listUsersById(context.database, staffIds)).map(({ id, name }) => [id, name]))
  const now = context.now()
  return started.map(({ id, actorId, createdAt, details }) => {
    const expiresAt = Number(details.expiresAt)
    return {
      id,
      impersonatedBy: actorId ?? '',
      impersonatedByName: staff.get(actorId ?? '') ?? null,
      startedAt: toIso(createdAt),
      endedAt: toIsoOrNull(revocations.get(details.sessionId) ?? (expiresAt <= now ? expiresAt : null)),
    }
  })
}

/** @returns the times when sessions were revoked, by the id of the session */
async function readRevocations({ slowReads }: Context, userId: string, from: number): Promise<Map<unknown, number>> {
  const filter = { subjectId: userId, action: 'impersonation.ended', from } as const
  const events = await listRecordedEvents({ database: slowReads }, filter, { limit: REVOCATIONS_MAXIMUM, offset: 0 })
  return new Map(events.map(({ details, createdAt }) => [details.sessionId, createdAt]))
}
