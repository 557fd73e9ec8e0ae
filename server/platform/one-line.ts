/**
 * Removes control characters: they could begin a header or control a terminal, and PostgreSQL refuses NUL. Format
 * characters go too, because some change the direction of the text after them.
 */
export function toOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim()
}
