// Embeddings, overrides and isolates: they come along with text that is pasted, and turn what stands after them around.
const TURNING = /[\u202a-\u202e\u2066-\u2069]/

/** Whether a text has hidden characters that the service refuses in names, since they make one look like another. */
export function turnsText(text: string): boolean {
  return TURNING.test(text)
}

export const TURNING_TEXT = 'There is a hidden character in this that turns text around. Type it instead of pasting it.'
