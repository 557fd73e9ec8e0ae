/**
 * Removes control characters: they could begin a header or control a terminal, and PostgreSQL refuses NUL. Many spaces
 * become one: a long subject is folded at spaces, and mail filters refuse a line of spaces only (RFC 5322, 3.2.2).
 */
export function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
}
