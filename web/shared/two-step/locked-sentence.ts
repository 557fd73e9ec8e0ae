import type { RequestFailed } from '../api/request-failed.ts'
import { duration } from '../format/duration.ts'
import type { Sentences } from '../format/failure-sentence.ts'
import { moment } from '../format/moment.ts'

export const LOCKED: Sentences = { ACCOUNT_TEMPORARILY_LOCKED: lockedSentence }

function lockedSentence({ retryAfterSeconds = 0 }: RequestFailed): string {
  const end = new Date(Date.now() + retryAfterSeconds * 1000)
  return `Too many codes were wrong. No code is accepted before ${moment(end)}, in ${duration(retryAfterSeconds)}. If you have a passkey, you can use it now.`
}
