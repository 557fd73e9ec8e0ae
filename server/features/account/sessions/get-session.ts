import type { Caller } from '../../../core/access/caller.ts'
import { toSessionAndUser } from '../../../core/sessions/wire.ts'

/** Lives as long as the caller is cached: what the service is asked most is put into words once. */
const answers = new WeakMap<Caller, string>()

/** @returns the JSON of the session and its user; all of it is the holder's to see */
export function sessionAnswer(caller: Caller, now: number): string {
  const known = answers.get(caller)
  if (known !== undefined) return known
  const answer = JSON.stringify(toSessionAndUser(caller, now))
  answers.set(caller, answer)
  return answer
}

/** For pages of other origins: the token is a credential that opens every route, which their origin does not. */
export function sessionAnswerWithoutToken(caller: Caller, now: number): string {
  const { session, user } = toSessionAndUser(caller, now)
  const { token: _, ...rest } = session
  return JSON.stringify({ session: rest, user })
}
