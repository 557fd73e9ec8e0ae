import { randomBytes } from 'node:crypto'

/**
 * Twelve random letters from a to p, unique enough for a name, a slug or an email address. They contain no digits, because
 * names with seven digits in a row are refused like telephone numbers: a random name with digits fails now and then.
 */
export function randomLetters(): string {
  return randomBytes(6)
    .toString('hex')
    .replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))
}
