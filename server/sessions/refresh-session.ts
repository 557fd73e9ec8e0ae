import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { SessionRow } from '../database/tables.ts'
import { saveAuthenticatedAt } from './store.ts'

/** The user has just proved who they are: for the next while the session may do what needs a fresh one. */
export async function refreshSession(context: Context, actor: Actor, { id, userId }: SessionRow): Promise<void> {
  await context.database.transaction().execute(async (transaction) => {
    await saveAuthenticatedAt(transaction, id, context.now())
    const details = { sessionId: id }
    await recordEvent(transaction, context, actor, { action: 'session.refreshed', subjectId: userId, details })
  })
}
