import type { Context } from '../context.ts'
import { saveAuthenticatedAt } from './store.ts'

/** The holder has just proved who they are: for the next while the session may do what needs a fresh one. */
export function refreshSession({ database, now }: Context, sessionId: string): Promise<void> {
  return saveAuthenticatedAt(database, sessionId, now())
}
