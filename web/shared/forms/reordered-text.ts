// Embeddings, overrides and isolates (Unicode Standard Annex 9): pasted text may contain them, and they reorder the text after them.
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/

/** The service refuses these characters in names, because they make one name look like another. */
export function reordersText(text: string): boolean {
  return REORDERING.test(text)
}

export const REORDERED_TEXT = 'There is a hidden character in this that reorders text. Type it instead of pasting it.'
