import type { Sentences } from './failure-sentence.ts'

/** For pages of emailed links, which work once. */
export function usedLinkSentences(remedy: string): Sentences {
  const sentence = `This link has been used or has expired. ${remedy}`
  return { INVALID_TOKEN: sentence }
}
