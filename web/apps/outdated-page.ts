import type { ErrorCode } from '../../server/platform/http/errors.ts'
import { hasCode } from '../shared/api/request-failed.ts'
import type { Sentences } from '../shared/format/failure-sentence.ts'

/** For a user who has left the organization that the page showed. */
export const ORGANIZATIONS_CHANGED: Sentences = {
  ORGANIZATION_NOT_FOUND: 'Your organizations have changed. Look again at what the app gets, then answer.',
}

/** Reloads the data of the page after a refusal that shows that they are outdated. @throws the refusal */
export async function reloadAfter<Data>(
  codes: readonly ErrorCode[],
  answered: Promise<Data>,
  reload: () => Promise<unknown>,
): Promise<Data> {
  try {
    return await answered
  } catch (refusal) {
    if (codes.some((code) => hasCode(refusal, code))) await reload()
    throw refusal
  }
}
