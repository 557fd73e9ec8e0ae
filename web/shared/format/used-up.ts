import type { Sentences } from './failure-sentence.ts'

/** For a link that works once, once it doesn't. */
export function usedUp(remedy: string): Sentences {
  const sentence = `This link has been used or has expired. ${remedy}`
  return { INVALID_TOKEN: sentence }
}
