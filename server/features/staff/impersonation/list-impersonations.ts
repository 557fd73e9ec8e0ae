import type { Static } from 'typebox'
import { listRecordedEvents } from '../../../core/audit/list-events.ts'
import type { Context } from '../../../core/context.ts'
import { findUser } from '../../../core/users/find-user.ts'
import { toIso, toIsoOrNull } from '../../../platform/http/time.ts'
import type { ImpersonationList } from '../users/schemas.ts'

const SHOWN_MAXIMUM = 100
/** Those that were started earlier may have ended among them. */
const ENDINGS_MAXIMUM = 1_000

/** Who acted as this person, latest first, from the audit record; the reason is for staff. */
export async function listImpersonations(context: Context, userId: string): Promise<Static<typeof ImpersonationList>> {
  const started = await listRecordedEvents(
    context,
    { subjectId: userId, action: 'impersonation.started' },
    { limit: SHOWN_MAXIMUM, offset: 0 },
  )
  const endings = await findEndings(context, userId, started.at(-1)?.createdAt ?? 0)
  const staffIds = [...new Set(started.map(({ actorId }) => actorId ?? ''))]
  const staff = await Promise.all(staffIds.map((id) => findUser(context.database, id)))
  const now = context.now()
  return started.map(({ id, actorId, createdAt, details }) => {
    const expiry = Number(details.expiresAt)
    return {
      id,
      impersonatedBy: actorId ?? '',
      impersonatedByName: staff.find((person) => person?.id === actorId)?.name ?? null,
      startedAt: toIso(createdAt),
      endedAt: toIsoOrNull(endings.get(details.sessionId) ?? (expiry <= now ? expiry : null)),
    }
  })
}

/** @returns when sessions in which staff acted as this person were ended before their time, by their ids */
async function findEndings(context: Context, userId: string, from: number): Promise<Map<unknown, number>> {
  const filter = { subjectId: userId, action: 'impersonation.ended', from } as const
  const events = await listRecordedEvents(context, filter, { limit: ENDINGS_MAXIMUM, offset: 0 })
  return new Map(events.map(({ details, createdAt }) => [details.sessionId, createdAt]))
}
