import type { Kysely } from 'kysely'
import { compileOnce } from '../../platform/database/compile-once.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { type DeviceFacts, selectDeviceFacts, toDeviceFacts } from '../devices/store.ts'

interface Start {
  userId: string
  sessionsMaximum: number
  /** The hash of its cookie; empty for a client without one. */
  device: string
  now: number
}

const selectStartFacts = compileOnce((database, { userId, sessionsMaximum, device, now }: Start) =>
  database.selectNoFrom((select) => [
    select
      .exists(
        select
          .selectFrom('sessions')
          .select('id')
          .where('userId', '=', userId)
          .where('impersonatedBy', 'is', null)
          .limit(1)
          .offset(sessionsMaximum),
      )
      .as('hasTooManySessions'),
    ...selectDeviceFacts(select, { userId, device, now }),
  ]),
)

/** One statement, because each sign-in waits for it. */
export async function readStartFacts(
  transaction: Kysely<Tables>,
  start: Start,
): Promise<DeviceFacts & { hasTooManySessions: boolean }> {
  const [row] = await selectStartFacts(transaction, start)
  return { ...toDeviceFacts(row), hasTooManySessions: Boolean(row?.hasTooManySessions) }
}
