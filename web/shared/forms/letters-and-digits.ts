/** A code without hyphens, spaces and dots, and with full-width characters as ordinary ones. */
export function lettersAndDigits(typed: string): string {
  return typed.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, '')
}
