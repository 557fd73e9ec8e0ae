const OWN_ID = /^[a-z]{3}_[0-9a-z]{10,}$/
const LONG_WORD_WITH_DIGIT = /^(?=.*\d)[\w-]{20,}$/

/** Whether a text is likely an id such as `usr_…`, a request id, or an id that an import has kept. */
export function isId(text: string): boolean {
  return OWN_ID.test(text) || LONG_WORD_WITH_DIGIT.test(text)
}
