/** Without control characters, which would begin a header, control a terminal, or be refused by PostgreSQL (NUL). */
export function toOneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim()
}
