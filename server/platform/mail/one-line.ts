/** Removes control characters: they could begin a header or control a terminal, and PostgreSQL refuses NUL. */
export function toOneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim()
}
