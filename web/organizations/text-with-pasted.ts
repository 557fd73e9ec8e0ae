type Selected = { value: string; selectionStart: number | null; selectionEnd: number | null }

/** The text of a field after a list was pasted. The list replaces the selection, and splits no value at the caret. */
export function textWithPasted({ value, selectionStart, selectionEnd }: Selected, pasted: string): string {
  if (selectionStart === null || selectionEnd === null || selectionStart === selectionEnd) return `${value} ${pasted}`
  return `${value.slice(0, selectionStart)} ${pasted} ${value.slice(selectionEnd)}`
}
