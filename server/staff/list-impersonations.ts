import type { Static } from 'typebox'
import { listRecordedEvents } from '../audit/list-events.ts'
import type { Context } from '../context.ts'
import { toIso } from '../http/time.ts'
import { findUser } from '../users/find-user.ts'
import type { ImpersonationList } from './schemas.ts'

const SHOWN_MAXIMUM = 100

/** Who acted as this person, latest first, from the audit record; the reason is for staff. */
export async function listImpersonations(context: Context, userId: string): Promise<Static<typeof ImpersonationList>> {
  const page = { limit: SHOWN_MAXIMUM, offset: 0 }
  const [started, ended] = await Promise.all(
    (['impersonation.started', 'impersonation.ended'] as const).map((action) =>
      listRecordedEvents(context, { subjectId: userId, action }, page),
    ),
  )
  const endings = new Map(ended?.map(({ details, createdAt }) => [details.sessionId, createdAt]))
  const staffIds = [...new Set(started?.map(({ actorId }) => actorId ?? ''))]
  const staff = await Promise.all(staffIds.map((id) => findUser(context.database, id)))
  return (started ?? []).map(({ id, actorId, createdAt, details }) => ({
    id,
    impersonatedBy: actorId ?? '',
    impersonatedByName: staff.find((person) => person?.id === actorId)?.name ?? null,
    startedAt: toIso(createdAt),
    endedAt: toIso(endings.get(details.sessionId) ?? Number(details.expiresAt)),
  }))
}
